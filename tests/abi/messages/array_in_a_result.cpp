// expect: the members of a struct that has an array, a base, a reference, a bit-field or a union cannot be found
#include <mcp/plugin/typed.hpp>

struct Out {
  std::string name;
  char text[256];
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [] { return std::vector<Out>(); });
}
