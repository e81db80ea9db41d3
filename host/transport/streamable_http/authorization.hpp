// Who sends a request over HTTP (2026-07-28, basic/authorization; RFC 6750): what its credential proves, and what a
// request without a good one is answered. Any thread.
#pragma once

#include "auth/access_state.hpp"
#include "http/router.hpp"
#include "runtime/current.hpp"

namespace mcph {

// Settles each request's principal, by the state of that moment, which outlives it.
HttpMiddleware authenticate_by(const Current<AccessState>& access);

}  // namespace mcph
