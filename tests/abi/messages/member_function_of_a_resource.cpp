// expect: wrap a member function in a lambda, which has its object
#include <mcp/plugin/typed.hpp>

struct Store {
  std::string text() { return "text"; }
};

void setup(mcp::Plugin& plugin) {
  plugin.resource("a://b", "r", "R.", &Store::text);
}
