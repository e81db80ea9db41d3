// expect: std::string_view and pointers cannot be arguments or fields, because nothing would own what they point to:
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.async_tool(
      "size", "Measures.", [](std::string_view text, mcp::Call call) { call.complete(text.size()); }, mcp::arg("text"));
}
