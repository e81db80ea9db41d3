// expect: .min_items() and .max_items() are for std::vector
#include <mcp/plugin/typed.hpp>

struct In {
  std::string text;
  static constexpr auto fields() { return std::tuple{mcp::field("text", &In::text).max_items(3)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.text; });
}
