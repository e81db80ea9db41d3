// expect: a handler that takes mcp::Call is for plugin.async_tool
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.prompt(
      "p", "P.", [](const std::string& code, mcp::Call) { return code; }, mcp::arg("code"));
}
