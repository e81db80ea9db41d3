// A plugin whose calls cost the host much: long answers, and arguments that are checked by a slow pattern.
#include <cstddef>
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "large", "Answers with so many bytes of text.", [](std::size_t bytes) { return std::string(bytes, 'x'); },
      mcp::arg("bytes", "How many"));
  plugin.tool(
      "matching", "Takes a text that matches.", [](const std::string& text) { return text.size(); },
      mcp::arg("text", "Which").pattern("^(a+)+$"));
}

MCP_PLUGIN("large", "1.0.0", setup)
