// expect: the members of a struct that has an array, a base, a reference, a bit-field or a union cannot be found
#include <mcp/plugin/typed.hpp>

struct In {
  int count;
  double values[3];
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.count; });
}
