// server: what this server is, for clients and for authors of plugins.
//
//   config://server             its version, the protocol revisions that it speaks, its plugins, limits and features
//   seed_ping {"message": ...}  answers with the server's name, so that a client sees that it is reached
//   host_status                 how it fares: version, uptime, and of its plugins their calls
//   ui://server/dashboard       a table of that, for clients with MCP Apps
//   docs://mcp-plugin-host/*    the documentation of mcp-plugin-host, for whoever writes a plugin
//
// A plugin knows nothing of its host but the C contract, so the host must offer the interface "mcp.server-info/1"
// (mcp/server_info.h). Where it does not, the first and the third say so. A host whose roles decide who sees what names
// no plugins here. It has no configuration; what of it should not be offered, the operator disables.
#include <mcp/plugin/typed.hpp>

#include "server/setup.hpp"

MCP_PLUGIN("server", "1.0.0", plugins::server::setup,
           mcp::About{.vendor = "mcp-plugin-host", .description = "Tells a client what this server is."})
