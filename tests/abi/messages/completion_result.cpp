// expect: a completion returns std::vector<std::string> or mcp::Completion
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.prompt("p", "P.", {mcp::arg("a")}, [] { return ""; }).complete("a", [](std::string_view) { return 1; });
}
