// expect: take the context as the last parameter, by reference: mcp::Context&
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](int a, mcp::Context&, mcp::Context&) { return a; }, mcp::arg("a"));
}
