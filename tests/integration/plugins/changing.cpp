// Tools that come while it runs.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include <mcp/plugin.hpp>

namespace {

void add(mcp::Plugin& plugin, const std::string& name) {
  plugin.tool(name, "Came while the plugin ran.", [name] { return name; });
  plugin.components_changed();
}

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "add", "Adds a tool.",
      [&plugin](const std::string& name) {
        add(plugin, name);
        return "added";
      },
      mcp::arg("name", "Its name"));
  plugin.tool(
      "add_long", "Adds a tool, and says much.",
      [&plugin](const std::string& name) {
        add(plugin, name);
        return std::string(200'000, 'x');
      },
      mcp::arg("name", "Its name"));
  plugin.tool(
      "change", "Changes all the time.",
      [&plugin](int milliseconds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
        int changes = 0;
        for (bool there = false; std::chrono::steady_clock::now() < end || changes < 200; ++changes, there = !there) {
          if (there) {
            plugin.remove_tool("coming_and_going");
            plugin.components_changed();
          } else {
            add(plugin, "coming_and_going");
          }
          std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        return changes;
      },
      mcp::arg("milliseconds", "For how long"));
}

}  // namespace

MCP_PLUGIN("changing", "1.0.0", setup)
