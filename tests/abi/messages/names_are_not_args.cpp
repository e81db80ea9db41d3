// expect: after the handler follow only mcp::arg(name, description)
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "twice", "Doubles.", [](double a) { return 2 * a; }, "a");
}
