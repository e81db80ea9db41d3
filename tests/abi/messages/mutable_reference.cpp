// expect: take arguments by value or by const reference, and mcp::Context& at the end
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](std::string& text) { return text; }, mcp::arg("text"));
}
