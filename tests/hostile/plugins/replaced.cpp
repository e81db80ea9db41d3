// A plugin that says which build of it answers, lists a tool that only this build has, and leaves behind how many calls
// it was given.
#include <atomic>
#include <fstream>
#include <memory>
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  const auto calls = std::make_shared<std::atomic<long>>(0);
  plugin.tool(
      "build", "Says which build answers, and what it is given.",
      [calls](const std::string& text) {
        ++*calls;
        return BUILD_NAME " " + text;
      },
      mcp::arg("text", "What to say"));
  plugin.tool("only_in_" BUILD_NAME, "Is in the list of this build.", [] {});
  plugin.on_stop(
      [&plugin, calls] { std::ofstream(plugin.data_directory() + "/calls", std::ios::app) << *calls << std::endl; });
}

MCP_PLUGIN("replaced", BUILD_NAME, setup)
