// expect: a field cannot be an array: use std::array
#include <mcp/plugin/typed.hpp>

struct In {
  int values[3];
  static constexpr auto fields() { return std::tuple{mcp::field("values", &In::values)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.values[0]; });
}
