// The version of this program, which CMakeLists.txt sets.
#pragma once

namespace mcph {
inline constexpr auto host_version = MCP_PLUGIN_HOST_VERSION;
}
