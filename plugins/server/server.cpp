// server: the resource config://server, which says what this server is: its version, the protocol revisions that it
// speaks, the plugins that it has loaded, its limits.
//
// A plugin knows nothing of its host but the C contract, so the host must offer the interface "mcp.server-info/1"
// (mcp/server_info.h). Where it does not, reading the resource says so. It has no configuration.
#include <mcp/plugin/typed.hpp>

#include "server/setup.hpp"

MCP_PLUGIN("server", "1.0.0", plugins::server::setup,
           mcp::About{.vendor = "mcp-plugin-host", .description = "Tells a client what this server is."})
