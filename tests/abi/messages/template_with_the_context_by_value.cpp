// expect: take the context as the last parameter, by reference: mcp::Context&
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.resource_template("notes://{number}", "n", "N.", [](int number, mcp::Context) { return "note " + number; });
}
