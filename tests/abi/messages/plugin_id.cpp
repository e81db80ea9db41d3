// expect: the id of a plugin is 1 to 128 characters of A-Z a-z 0-9 _ . -
#include <mcp/plugin/typed.hpp>

static void setup(mcp::Plugin&) {}

MCP_PLUGIN("notes", "1.0.0", setup, mcp::About{.id = "my plugin"})
