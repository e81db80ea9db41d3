// expect: the handler of an asynchronous raw tool takes (const mcp::Json& arguments, mcp::Call call)
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.raw_async_tool("t", "T.", "{}", [](const mcp::Json&) { return 1; });
}
