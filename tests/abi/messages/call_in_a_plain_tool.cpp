// expect: a handler that takes mcp::Call is for plugin.async_tool
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](int a, mcp::Call call) { call.complete(a); }, mcp::arg("a"));
}
