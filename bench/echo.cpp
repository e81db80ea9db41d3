// A tool that does nothing: what a call costs besides.
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "echo", "Says what it is given.", [](const std::string& text) { return text; }, mcp::arg("text", "What to say"));
}

MCP_PLUGIN("bench-echo", "1.0.0", setup)
