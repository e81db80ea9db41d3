// Needs a library that is not installed.
#include <mcp/plugin.hpp>

extern "C" int absent_library(void);

static void setup(mcp::Plugin& plugin) {
  plugin.tool("answer", "Asks the other library.", [] { return absent_library(); });
}

MCP_PLUGIN("missing_dependency", "1.0.0", setup)
