// A plugin whose stop can be seen: it writes the file of its configuration, keeps a value, dies, or does not come back.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <mcp/plugin.hpp>

namespace {

void setup(mcp::Plugin& plugin) {
  const auto& config = plugin.config();
  const auto file = config.value("file", std::string());
  const auto keeps = config.value("keeps", std::string());
  const bool dies = config.value("dies", false);
  const bool comes_back = config.value("comes_back", true);
  plugin.tool("hello", "Says hello.", [] { return "hello"; });
  plugin.tool("kept", "What it has kept at its last stop.",
              [&plugin] { return plugin.store().get("stop").value_or("nothing"); });
  plugin.on_stop([&plugin, file, keeps, dies, comes_back] {
    if (!keeps.empty()) plugin.store().put("stop", keeps);
    if (!file.empty()) std::ofstream(file) << "stopped";
    if (dies) std::abort();
    while (!comes_back)
      std::this_thread::sleep_for(std::chrono::seconds(1));
  });
}

}  // namespace

MCP_PLUGIN("stopping", "1.0.0", setup)
