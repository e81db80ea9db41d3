// expect: a field of a struct that has an array, a base, a reference, a bit-field or a union needs a name
#include <mcp/plugin/typed.hpp>

struct In {
  int a[3];
  int b;
  static constexpr auto fields() { return std::tuple{mcp::field(&In::b)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.b; });
}
