// expect: the handler of a resource takes nothing, (const mcp::Uri&), (mcp::Context&), or both in this order
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.resource("notes://all", "notes", "All notes.", [](int name) { return std::to_string(name); });
}
