// expect: a field can have a default if it is a number, a bool, a std::string or a named enum
#include <mcp/plugin/typed.hpp>

struct In {
  std::vector<int> list;
  static constexpr auto fields() { return std::tuple{mcp::field("list", &In::list).default_value(3)}; }
};

void setup(mcp::Plugin& plugin) {
  plugin.tool("t", "T.", [](const In& in) { return in.list.size(); });
}
