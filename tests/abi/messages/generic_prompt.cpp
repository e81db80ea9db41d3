// expect: the handler must be a function or a lambda whose parameters have types: write (double a), not (auto a)
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.prompt(
      "p", "P.", [](auto code) { return code; }, mcp::arg("code"));
}
