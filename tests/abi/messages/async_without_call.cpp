// expect: the last parameter of an asynchronous tool's handler is mcp::Call
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.async_tool(
      "t", "T.", [](int) {}, mcp::arg("a"));
}
