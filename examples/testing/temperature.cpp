// A plugin with tests: temperature_test.cpp calls it without a host, and CMakeLists.txt in a host.
#include <string>

#include <mcp/plugin.hpp>

enum class Unit { celsius, fahrenheit };

static double convert(double degrees, Unit to) {
  const double celsius = to == Unit::celsius ? (degrees - 32) / 1.8 : degrees;
  if (celsius < -273.15) throw mcp::ToolError("Nothing is colder than -273.15 degrees Celsius.");
  return to == Unit::celsius ? celsius : degrees * 1.8 + 32;
}

// Not static: the test calls it.
void setup(mcp::Plugin& plugin) {
  plugin
      .tool("convert_temperature", "Converts a temperature.", convert, mcp::arg("degrees", "What to convert"),
            mcp::arg("to", "To what").default_value(Unit::celsius))
      .read_only();
}

MCP_PLUGIN("temperature", "1.0.0", setup)
