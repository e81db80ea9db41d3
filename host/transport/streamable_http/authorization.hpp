// Who sends a request over HTTP (2026-07-28, basic/authorization; RFC 6750): what its credential proves, and what a
// request without a good one is answered. Any thread.
#pragma once

#include <functional>

#include "auth/access_state.hpp"
#include "http/router.hpp"
#include "runtime/current.hpp"
#include "transport/streamable_http/authentication_counts.hpp"
#include "transport/streamable_http/options.hpp"

namespace mcph {

// Refuses a client whose certificate has expired meanwhile. Settles where each request comes from, where a proxy is
// trusted to say that. The state outlives it.
HttpMiddleware locate_by(const Current<AccessState>& access);

// Hears of a request whose credential is no good, which is not one that has none.
using FailureListener = std::function<void(const HttpRequest& request)>;

// Settles each request's principal, by the state of that moment, and counts it; both outlive it. A client is told of
// the metadata of the endpoint that it asked.
HttpMiddleware authenticate_by(const Current<AccessState>& access, AuthenticationCounts& counts,
                               FailureListener failed);

// Gives those whose connection brings many messages their roles of that moment. The state outlives it.
PrincipalRenewal renew_by(const Current<AccessState>& access);

// What a client needs whose credential lacks scopes for a request (2026-07-28, basic/authorization, "Runtime
// Insufficient Scope Errors"). The state outlives it.
ScopeChallenge scope_challenge(const Current<AccessState>& access);

}  // namespace mcph
