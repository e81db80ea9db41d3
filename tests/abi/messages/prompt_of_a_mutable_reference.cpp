// expect: take arguments by value or by const reference, and mcp::Context& at the end
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.prompt(
      "p", "P.", [](std::string& code) { return code; }, mcp::arg("code"));
}
