// expect: a character type has no JSON form: use std::string
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](const std::wstring& name) { return name.size(); }, mcp::arg("name"));
}
