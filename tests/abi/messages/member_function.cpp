// expect: the handler must be a function or a lambda whose parameters have types
#include <mcp/plugin/typed.hpp>

struct Store {
  int count(int since) { return since; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", &Store::count, mcp::arg("since"));
}
