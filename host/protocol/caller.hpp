// What is known of a client: settled by initialize for a session of the legacy era, said by each request of the modern
// one. A value.
#pragma once

#include <string>

#include "protocol/message.hpp"

namespace mcph {

struct Caller {
  std::string protocol_version;
  Json client = nullptr;  // an Implementation, where the client said it
  Json capabilities = Json::object();
  std::string principal = {};  // who the client has proven to be; empty: nobody asked
};

}  // namespace mcph
