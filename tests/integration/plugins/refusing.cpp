// Cannot be served: its setup throws.
#include <stdexcept>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin&) {
  throw std::runtime_error("the licence has expired");
}

MCP_PLUGIN("refusing", "1.0.0", setup)
