// expect: a tool cannot return this type: return nothing, a text, a number
#include <mcp/plugin/typed.hpp>

struct Point {
  explicit Point(double from) : x(from) {}
  double x;
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("origin", "The origin.", [] { return Point{0}; });
}
