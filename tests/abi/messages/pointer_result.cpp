// expect: a tool cannot return this type: return nothing, a text, a number
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [] {
    static const int answer = 42;
    return &answer;
  });
}
