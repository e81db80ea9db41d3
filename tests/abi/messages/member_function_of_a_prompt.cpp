// expect: wrap a member function in a lambda, which has its object
#include <mcp/plugin/typed.hpp>

struct Store {
  std::string text(const mcp::Arguments& arguments) { return arguments["code"]; }
};

void setup(mcp::Plugin& plugin) {
  plugin.prompt("p", "P.", {mcp::arg("code")}, &Store::text);
}
