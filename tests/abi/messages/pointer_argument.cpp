// expect: std::string_view and pointers cannot be arguments or fields
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](const char* name) { return std::string(name); }, mcp::arg("name"));
}
