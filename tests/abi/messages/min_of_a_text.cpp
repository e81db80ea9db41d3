// expect: .min() and .max() are for numbers: use .min_length()/.max_length() for texts
#include <mcp/plugin/typed.hpp>

struct In {
  std::string text;
  static constexpr auto fields() { return std::tuple{mcp::field("text", &In::text).min(1)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.text; });
}
