// Greets as its configuration says.
#include <stdexcept>
#include <string>

#include <mcp/plugin.hpp>

static void setup(mcp::Plugin& plugin) {
  const auto greeting = plugin.config().value("greeting", std::string("Hello"));
  if (greeting.empty()) throw std::invalid_argument("the greeting must not be empty");
  plugin.tool("greet", "Greets.", [greeting] { return greeting; });
}

MCP_PLUGIN("configured", "1.0.0", setup)
