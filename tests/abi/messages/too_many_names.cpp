// expect: give one mcp::arg(name, description) for each parameter of the handler, in their order
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "twice", "Doubles.", [](double a, mcp::Context&) { return 2 * a; }, mcp::arg("a"), mcp::arg("context"));
}
