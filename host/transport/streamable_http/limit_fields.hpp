// How HTTP says what is left of a limit, and when to try again. Free functions; any thread.
#pragma once

#include "http/response.hpp"
#include "limits/limits.hpp"

namespace mcph {

// RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-11), and what clients know longer:
// X-RateLimit-*, where Reset is in seconds from now.
ResponseFields limit_fields(const LimitStanding& standing);

// The same of a refusal, and Retry-After (RFC 9110 section 10.2.3), in seconds, rounded up.
ResponseFields refusal_fields(const LimitStanding& standing);

}  // namespace mcph
