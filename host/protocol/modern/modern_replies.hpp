// The replies of revision 2026-07-28 that say what is wrong. Free functions.
#pragma once

#include <string_view>

#include "protocol/capabilities.hpp"
#include "protocol/error_reply.hpp"

namespace mcph {

// `missing` is the part of ClientCapabilities that the request needs and its client lacks.
inline Reply missing_capability_reply(std::string_view id, const Json& missing) {
  const RpcError error{error_code::missing_client_capability,
                       "This request requires the client " + in_words(missing),
                       {{"requiredCapabilities", missing}}};
  return error_reply(id, error, ReplyStatus::invalid);
}

}  // namespace mcph
