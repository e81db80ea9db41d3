// The limits of requests over HTTP, as middleware of the router. Any thread.
#pragma once

#include "base/ip_address.hpp"
#include "http/router.hpp"
#include "limits/limits.hpp"
#include "runtime/current.hpp"

namespace mcph {

// What the limits tell addresses apart by: an IPv4 address, also one that is written as IPv6, or the /64 of an IPv6
// address, because a site has so many (RFC 6177).
std::string address_key(const IpAddress& address);

// What stands before the middleware that finds out who sends a request: the limits of its address. They outlive it, as
// they do the next two.
HttpMiddleware limit_by_address(const Current<Limits>& limits);
// What that middleware says of credentials that are no good.
void note_failure(const Current<Limits>& limits, const HttpRequest& request);
// What stands after it: the limits of its sender.
HttpMiddleware limit_by_sender(const Current<Limits>& limits);

}  // namespace mcph
