// expect: an error is thrown, not returned: write throw mcp::ToolError(
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [] { return mcp::ToolError("nothing found"); });
}
