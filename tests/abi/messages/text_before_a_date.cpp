// expect: a std::variant becomes the first of its types that fits, and one of them takes all that a later one would
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](const std::variant<std::string, std::chrono::sys_days>& value) { return value.index(); },
      mcp::arg("value"));
}
