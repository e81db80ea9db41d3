// expect: the handler of a raw tool takes (const mcp::Json& arguments), and mcp::Context& if it likes
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.raw_tool("t", "T.", "{}", [](int a, int b) { return a + b; });
}
