// expect: wrap a member function in a lambda, which has its object
#include <mcp/plugin/typed.hpp>

struct Store {
  void count(const mcp::Json&, mcp::Call call) { call.complete(1); }
};

void setup(mcp::Plugin& plugin) {
  plugin.raw_async_tool("t", "T.", R"({"type":"object"})", &Store::count);
}
