// Calls the tools without a host and without loading a library.
#include <iostream>

#include <mcp/plugin.hpp>
#include <mcp/plugin/testing.hpp>

void setup(mcp::Plugin& plugin);

int main() {
  mcp::testing::Harness plugin(setup);
  const auto greeting = plugin.call_tool("hello", {{"name", "Ada"}});
  if (greeting.ok() && greeting.text() == "Hello, Ada!") return 0;
  std::cerr << "unexpected: " << greeting.json << "\n";
  return 1;
}
