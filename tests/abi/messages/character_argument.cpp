// expect: a character type has no JSON form: use std::string, or an integer type
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "code", "Codes.", [](char c) { return static_cast<int>(c); }, mcp::arg("c"));
}
