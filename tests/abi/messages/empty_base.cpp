// expect: the members of a struct that has an array, a base, a reference, a bit-field or a union cannot be found
#include <mcp/plugin/typed.hpp>

struct Tag {};
struct In : Tag {
  int count;
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.count; });
}
