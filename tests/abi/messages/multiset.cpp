// expect: this type has no JSON form: use numbers, bool, std::string, enums
#include <set>

#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](const std::multiset<int>& value) { return value.size(); }, mcp::arg("value"));
}
