// Components of which the author has forgotten something.
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin.tool("roll", "", [] { return 4; }).app("ui://nothing");
  plugin.resource("notes://all", "all", "All notes.", [] { return "none"; });
}

MCP_PLUGIN("forgetful", "1.0.0", setup)
