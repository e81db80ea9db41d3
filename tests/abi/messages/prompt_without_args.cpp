// expect: the handler of a prompt takes values, for each of which an mcp::arg follows it, or nothing
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.prompt("p", "P.", [](const std::string& code) { return code; });
}
