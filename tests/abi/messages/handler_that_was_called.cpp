// expect: the handler must be a function or a lambda whose parameters have types
#include <mcp/plugin/typed.hpp>

static int answer() {
  return 42;
}

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", answer());
}
