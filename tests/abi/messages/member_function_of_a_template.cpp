// expect: wrap a member function in a lambda, which has its object
#include <mcp/plugin/typed.hpp>

struct Store {
  std::string text(int number) { return std::to_string(number); }
};

void setup(mcp::Plugin& plugin) {
  plugin.resource_template("a://{number}", "r", "R.", &Store::text);
}
