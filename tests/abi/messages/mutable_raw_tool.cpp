// expect: the handler is called from several threads at once, so it cannot be a mutable lambda
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.raw_tool("count", "Counts.", "{}", [calls = 0](const mcp::Json&) mutable { return ++calls; });
}
