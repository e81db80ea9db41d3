// The replies of revision 2026-07-28 that say what is wrong, with the HTTP statuses that it gives them. Free functions.
#pragma once

#include <string_view>

#include "protocol/capabilities.hpp"
#include "protocol/exchange.hpp"
#include "protocol/message.hpp"

namespace mcph {

inline constexpr unsigned http_ok = 200;
inline constexpr unsigned http_bad_request = 400;
inline constexpr unsigned http_not_found = 404;

inline Reply error_reply(std::string_view id, const RpcError& error, unsigned status) {
  return {error_response(id, error), status};
}

// `missing` is the part of ClientCapabilities that the request needs and its client lacks.
inline Reply missing_capability_reply(std::string_view id, const Json& missing) {
  const RpcError error{error_code::missing_client_capability,
                       "This request requires the client " + in_words(missing),
                       {{"requiredCapabilities", missing}}};
  return error_reply(id, error, http_bad_request);
}

}  // namespace mcph
