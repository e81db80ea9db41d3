// expect: std::string_view and pointers cannot be arguments or fields, because nothing would own what they point to:
#include <mcp/plugin/typed.hpp>

struct In {
  std::string_view text;
  static constexpr auto fields() { return std::tuple{mcp::field("text", &In::text)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("size", "Measures.", [](const In& in) { return in.text.size(); });
}
