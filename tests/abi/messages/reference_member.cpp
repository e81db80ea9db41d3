// expect: the members of a struct that has an array, a base, a reference, a bit-field or a union cannot be found
#include <mcp/plugin/typed.hpp>

struct Out {
  int count;
  std::string& name;
};

void setup(mcp::Plugin& plugin) {
  static std::string name;
  plugin.tool("t", "T.", [] { return Out{1, name}; });
}
