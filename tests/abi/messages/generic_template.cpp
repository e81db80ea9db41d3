// expect: the handler of a resource template takes one value for each variable
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.resource_template("notes://{number}", "n", "N.", [](auto number) { return "note " + number; });
}
