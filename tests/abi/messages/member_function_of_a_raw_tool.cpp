// expect: wrap a member function in a lambda, which has its object
#include <mcp/plugin/typed.hpp>

struct Store {
  int count(const mcp::Json&) { return 1; }
};

void setup(mcp::Plugin& plugin) {
  plugin.raw_tool("t", "T.", R"({"type":"object"})", &Store::count);
}
