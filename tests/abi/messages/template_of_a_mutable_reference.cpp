// expect: take arguments by value or by const reference, and mcp::Context& at the end
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.resource_template("notes://{number}", "n", "N.", [](std::string& number) { return "note " + number; });
}
