// expect: the values of a field are constants, which a std::string is not: write
#include <mcp/plugin/typed.hpp>

struct In {
  std::string text;
  static constexpr auto fields() {
    return std::tuple{mcp::field("text", &In::text).default_value(std::string("three"))};
  }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.text; });
}
