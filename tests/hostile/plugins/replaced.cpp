// A plugin that says which build of it answers.
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin.tool("build", "Says which build answers.", [] { return std::string(BUILD_NAME); });
}

MCP_PLUGIN("replaced", BUILD_NAME, setup)
