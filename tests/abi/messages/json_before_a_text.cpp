// expect: a std::variant becomes the first of its types that fits, and one of them takes all that a later one would
#include <mcp/plugin.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](const std::variant<mcp::Json, std::string>& value) { return value.index(); }, mcp::arg("value"));
}
