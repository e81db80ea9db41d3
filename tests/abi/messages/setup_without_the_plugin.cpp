// expect: the setup of a plugin is a function void(mcp::Plugin&)
#include <mcp/plugin/typed.hpp>

static void setup() {}

MCP_PLUGIN("p", "1.0.0", setup)
