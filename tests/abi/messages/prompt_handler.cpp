// expect: the handler of a prompt takes nothing, (const mcp::Arguments&), (mcp::Context&), or both in this order
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.prompt("p", "P.", {mcp::arg("a")}, [](int a) { return std::to_string(a); });
}
