// expect: give one mcp::arg(name, description) for each parameter of the handler, in their order
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "add", "Adds.", [](double a, double b) { return a + b; }, mcp::arg("a", "First"));
}
