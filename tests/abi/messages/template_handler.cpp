// expect: the handler of a resource template takes one value for each variable, or (const mcp::Uri&), or nothing
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.resource_template("notes://{id}/{part}/{page}", "n", "N.", [](auto, auto, auto) { return ""; });
}
