// expect: the variables of a template and the arguments of a prompt are texts: take them as numbers, bool
#include <mcp/plugin/typed.hpp>

struct Point {
  int x;
};

void setup(mcp::Plugin& plugin) {
  plugin.prompt(
      "p", "P.", [](const Point&) { return "p"; }, mcp::arg("point"));
}
