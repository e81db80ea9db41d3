// A plugin whose tool is named by its configuration, so that many copies of it can be served beside each other. It
// leaves a line in the file that MCP_TEST_ESCAPES names, each time that its library is loaded: a strict sandbox knows
// neither that variable nor that file.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <mcp/plugin.hpp>

namespace {

[[gnu::constructor]] void escape() {
  const char* const name = std::getenv("MCP_TEST_ESCAPES");
  if (name == nullptr) return;
  if (auto* const file = std::fopen(name, "a")) {
    std::fputs("loaded without a sandbox\n", file);
    std::fclose(file);
  }
}

}  // namespace

static void setup(mcp::Plugin& plugin) {
  plugin.tool(
      plugin.config().value("tool", "echo"), "Says what it is given.", [](const std::string& text) { return text; },
      mcp::arg("text", "What to say"));
}

MCP_PLUGIN("named", "1.0.0", setup)
