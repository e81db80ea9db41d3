// expect: .min_length(), .max_length(), .pattern() and .format() are for std::string
#include <mcp/plugin/typed.hpp>

struct In {
  int value;
  static constexpr auto fields() { return std::tuple{mcp::field("value", &In::value).max_length(3)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.value; });
}
