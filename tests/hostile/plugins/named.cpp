// A plugin whose tool is named by its configuration, so that many copies of it can be served beside each other.
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin.tool(
      plugin.config().value("tool", "echo"), "Says what it is given.", [](const std::string& text) { return text; },
      mcp::arg("text", "What to say"));
}

MCP_PLUGIN("named", "1.0.0", setup)
