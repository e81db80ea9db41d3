// expect: the values of this enum have no names: beside the enum E write constexpr auto mcp_enum(E)
#include <mcp/plugin/typed.hpp>

enum class Unit { Celsius, Fahrenheit };

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "read", "Reads.", [](Unit) { return 1; }, mcp::arg("unit"));
}
