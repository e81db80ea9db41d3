// expect: no value of this enum from -128 to 255 has a name, or it is an enum without class and without an
#include <mcp/plugin/typed.hpp>

enum Unit { Celsius, Fahrenheit };

void setup(mcp::Plugin& plugin) {
  plugin.resource("a://unit", "unit", "The unit.", [] { return Celsius; });
}
