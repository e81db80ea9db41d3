// expect: a field of a form is a number, a bool, a std::string, a date, an enum
#include <mcp/plugin/typed.hpp>

struct Point {
  double x = 0;
  static constexpr auto fields() { return std::tuple{mcp::field("x", &Point::x)}; }
};
struct Place {
  Point point;
  static constexpr auto fields() { return std::tuple{mcp::field("point", &Place::point)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("ask", "Asks.", [](mcp::Context& context) { return context.elicit<Place>("Where?").accepted(); });
}
