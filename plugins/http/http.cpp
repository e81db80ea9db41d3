// http: tools that ask a server over HTTP, as the configuration declares them, http.json beside the plugin.
// docs/http-plugin.md says all that it knows, and examples/ has configurations that are ready to use.
//
//   {"tools": [{
//     "name": "get_user", "description": "A user of the directory by their number.",
//     "inputSchema": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
//     "request": {"url": "https://directory.example.com/users/{id}"}}]}
#include <mcp/plugin/typed.hpp>

#include "http/setup.hpp"

MCP_PLUGIN("http", "1.0.0", plugins::http::setup,
           mcp::About{.vendor = "mcp-plugin-host",
                      .description = "Tools that ask servers over HTTP, by configuration."})
