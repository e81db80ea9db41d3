// expect: this type has no JSON form: use numbers, bool, std::string, enums
#include <mcp/plugin/typed.hpp>

struct Point {
  explicit Point(double from) : x(from) {}
  double x;
};

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "norm", "Measures.", [](const Point& p) { return p.x; }, mcp::arg("point"));
}
