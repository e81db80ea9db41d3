// expect: take the context as the last parameter, by reference: mcp::Context&
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.prompt(
      "p", "P.", [](const std::string& code, mcp::Context) { return code; }, mcp::arg("code"));
}
