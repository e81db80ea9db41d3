// expect: an asynchronous tool answers with call.complete(result), so its handler returns nothing
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.async_tool(
      "t", "T.", [](int a, mcp::Call) { return a; }, mcp::arg("a"));
}
