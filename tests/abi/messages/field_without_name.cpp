// expect: a field of a class that has constructors, bases or private members needs a name
#include <mcp/plugin/typed.hpp>

struct In {
  In() = default;
  explicit In(int v) : value(v) {}
  int value = 0;
  static constexpr auto fields() { return std::tuple{mcp::field(&In::value)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.value; });
}
