// Tools that do next to nothing: what a call costs besides. Two of them take, and give, texts of any size.
#include <cstddef>
#include <string>
#include <string_view>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "echo", "Says what it is given.", [](const std::string& text) { return text; }, mcp::arg("text", "What to say"));
  plugin.tool(
      "count", "Says how long a text is.", [](std::string_view text) { return std::to_string(text.size()); },
      mcp::arg("text", "The text"));
  plugin.tool(
      "make", "Says a text of a length.", [](std::size_t bytes) { return std::string(bytes, 'x'); },
      mcp::arg("bytes", "How long it is").max(1 << 22));
}

MCP_PLUGIN("bench-echo", "1.0.0", setup)
