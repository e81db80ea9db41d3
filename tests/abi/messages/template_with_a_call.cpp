// expect: a handler that takes mcp::Call is for plugin.async_tool
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.resource_template("notes://{number}", "n", "N.", [](int number, mcp::Call) { return "note " + number; });
}
