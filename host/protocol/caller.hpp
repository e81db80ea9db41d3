// What is known of a client: settled by initialize for a session of the legacy era, said by each request of the modern
// one. A value.
#pragma once

#include <string>

#include "protocol/message.hpp"

namespace mcph {

// Who a client has proven to be: whose sessions, streams, tasks and states are nobody else's.
using Principal = std::string;
inline const Principal anonymous;  // nobody has asked

struct Caller {
  std::string protocol_version;
  Json client = nullptr;  // an Implementation, where the client said it
  Json capabilities = Json::object();
  Principal principal = anonymous;
};

}  // namespace mcph
