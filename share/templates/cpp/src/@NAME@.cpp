#include <string>

#include <mcp/plugin.hpp>

// Says what this plugin exports. Called once for each instance of the plugin.
void setup(mcp::Plugin& plugin) {
  plugin
      .tool(
          "hello", "Greets somebody.", [](const std::string& name) { return "Hello, " + name + "!"; },
          mcp::arg("name", "Whom to greet").min_length(1))
      .read_only();
}

MCP_PLUGIN("@NAME@", "0.1.0", setup)
