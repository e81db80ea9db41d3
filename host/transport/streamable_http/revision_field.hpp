// The line of a head that says in which revision of the protocol a response is. Free functions; any thread.
#pragma once

#include <string_view>

namespace mcph {

// "MCP-Protocol-Version: 2026-07-28\r\n", for ever. The newest one for what is no revision of this server.
std::string_view revision_field(std::string_view revision);

}  // namespace mcph
