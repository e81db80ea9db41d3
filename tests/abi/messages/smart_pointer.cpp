// expect: this type has no JSON form: use numbers
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "t", "T.", [](const std::shared_ptr<int>& a) { return *a; }, mcp::arg("a"));
}
