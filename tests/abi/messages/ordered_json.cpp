// expect: this type has no JSON form: use numbers, bool, std::string, enums
#include <mcp/plugin.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](const nlohmann::ordered_json& value) { return value.size(); }, mcp::arg("value"));
}
