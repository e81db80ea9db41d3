// Does not come back from its setup.
#include <chrono>
#include <thread>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin&) {
  std::this_thread::sleep_for(std::chrono::hours(1));
}

MCP_PLUGIN("hanging", "1.0.0", setup)
