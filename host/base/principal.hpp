// Who a client has proven to be: whose sessions, streams, tasks and states are nobody else's. A value.
#pragma once

#include <string>

namespace mcph {

using Principal = std::string;
inline const Principal anonymous;  // nobody has asked

}  // namespace mcph
