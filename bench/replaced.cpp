// A plugin whose one tool is named by the build.
#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin.tool(TOOL_NAME, "Is there, or is not.", [] { return "here"; });
}

MCP_PLUGIN("bench-replaced", "1.0.0", setup)
