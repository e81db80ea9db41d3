// expect: the default of a field must have the field's type
#include <mcp/plugin/typed.hpp>

struct In {
  int value;
  static constexpr auto fields() { return std::tuple{mcp::field("value", &In::value).default_value("three")}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.value; });
}
