// expect: a handler that takes mcp::Json as it is has no schema of its own: use plugin.raw_tool(name, description,
#include <mcp/plugin.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool("echo", "Echoes.", [](const mcp::Json& in) { return in; });
}
