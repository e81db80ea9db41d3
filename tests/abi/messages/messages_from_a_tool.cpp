// expect: a message is for prompts: return a text, mcp::Content or mcp::Contents from a tool
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [] { return mcp::Messages{mcp::user("x")}; });
}
