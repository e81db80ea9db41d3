// expect: the members of a struct that has an array, a base, a reference, a bit-field or a union cannot be found
// not with: clang version 14
#include <mcp/plugin/typed.hpp>

struct In {
  int count;
  unsigned small : 3;
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.count; });
}
