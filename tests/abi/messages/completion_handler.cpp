// expect: a completion takes (std::string_view typed), and after it
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.prompt("p", "P.", {mcp::arg("a")}, [] { return ""; }).complete("a", [](int typed) { return typed; });
}
