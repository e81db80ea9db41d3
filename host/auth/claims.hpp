// What a token of an issuer says of whom, and whether it says it to this server and now (RFC 7519, 9068, 7662). Free
// functions; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "auth/issuer_settings.hpp"
#include "base/json_document.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"

namespace mcph {

// Who is meant by the claims of a token that its issuer has signed, for this server by one of the names `audiences`.
// The error is for whoever sent it.
Result<Identity> identity_of_token(JsonValue claims, const std::optional<std::string>& type,
                                   const IssuerSettings& issuer, const std::vector<std::string>& audiences,
                                   std::chrono::system_clock::time_point now);

// After which streams by a token that only its issuer can read end, at the latest.
inline constexpr std::chrono::minutes introspection_lifetime{5};

// The same by the issuer's answer about a token, which has said that it is active.
Result<Identity> identity_of_answer(JsonValue claims, const IssuerSettings& issuer,
                                    const std::vector<std::string>& audiences,
                                    std::chrono::system_clock::time_point now);

}  // namespace mcph
