// Who sends a request over HTTP (2026-07-28, basic/authorization; RFC 6750): what its credential proves, and what a
// request without a good one is answered. Any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "auth/access_state.hpp"
#include "base/principal.hpp"
#include "http/router.hpp"
#include "runtime/current.hpp"

namespace mcph {

// Settles each request's principal, by the state of that moment, which outlives it. A client is told of the endpoint's
// metadata.
HttpMiddleware authenticate_by(const Current<AccessState>& access, std::string endpoint_path);

// What a client needs whose credential lacks scopes for a request (2026-07-28, basic/authorization, "Runtime
// Insufficient Scope Errors"). The state outlives it.
std::function<std::string(const std::vector<std::string>& scopes, const Principal& principal)> scope_challenge(
    const Current<AccessState>& access, std::string endpoint_path);

}  // namespace mcph
