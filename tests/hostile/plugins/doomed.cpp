// A plugin that cannot be kept running: as its configuration says, it dies in start or as soon as it has started.
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  const auto dies = plugin.config().value("dies", "in start");
  plugin.tool("doomed", "Is seldom there.", [] { return "alive"; });
  plugin.on_start([dies] {
    if (dies == "in start") std::abort();
    std::thread([] { ::_exit(1); }).detach();
  });
}

MCP_PLUGIN("doomed", "1.0.0", setup)
