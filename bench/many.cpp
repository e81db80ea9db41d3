// TOOLS tools, for the cost of listing them.
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  for (int i = 0; i < TOOLS; ++i) {
    plugin.tool(
        "tool_" + std::to_string(i), "One of many tools that say what they are given.",
        [](const std::string& text, int times) { return text + std::to_string(times); },
        mcp::arg("text", "What to say"), mcp::arg("times", "How often").min(1).max(10));
  }
}

MCP_PLUGIN("bench-many", "1.0.0", setup)
