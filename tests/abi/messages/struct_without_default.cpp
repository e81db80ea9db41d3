// expect: a struct that is read from JSON must be default-constructible
#include <mcp/plugin/typed.hpp>

struct In {
  explicit In(int v) : value(v) {}
  int value;
  static constexpr auto fields() { return std::tuple{mcp::field("value", &In::value)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.value; });
}
