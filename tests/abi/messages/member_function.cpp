// expect: wrap a member function in a lambda, which has its object
#include <mcp/plugin/typed.hpp>

struct Store {
  int count(int since) { return since; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", &Store::count, mcp::arg("since"));
}
