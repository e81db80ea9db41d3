// A plugin whose stop can be seen: it writes the file of its configuration, or does not come back.
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include <mcp/plugin.hpp>

namespace {

void setup(mcp::Plugin& plugin) {
  const auto& config = plugin.config();
  const auto file = config.value("file", std::string());
  const bool comes_back = config.value("comes_back", true);
  plugin.tool("hello", "Says hello.", [] { return "hello"; });
  plugin.on_stop([file, comes_back] {
    if (!file.empty()) std::ofstream(file) << "stopped";
    while (!comes_back)
      std::this_thread::sleep_for(std::chrono::seconds(1));
  });
}

}  // namespace

MCP_PLUGIN("stopping", "1.0.0", setup)
