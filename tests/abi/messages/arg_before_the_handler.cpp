// expect: the handler must be a function or a lambda whose parameters have types
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", mcp::arg("a"), [](int a) { return a; });
}
