// What is known of a client: settled by initialize for a session of the legacy era, said by each request of the modern
// one. A value.
#pragma once

#include <string>

#include "base/principal.hpp"
#include "protocol/message.hpp"

namespace mcph {

struct Caller {
  std::string protocol_version;
  Json client = nullptr;  // an Implementation, where the client said it
  Json capabilities = Json::object();
  Principal principal = anonymous;
};

}  // namespace mcph
