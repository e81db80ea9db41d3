// expect: two fields of this struct have the same name
#include <mcp/plugin/typed.hpp>

struct In {
  int a;
  int b;
  static constexpr auto fields() { return std::tuple{mcp::field("a", &In::a), mcp::field("a", &In::b)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.a; });
}
