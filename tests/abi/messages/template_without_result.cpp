// expect: a resource returns a text, bytes (std::vector<std::uint8_t> or <std::byte>), mcp::Json
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.resource_template("users://{id}", "r", "R.", [](int) {});
}
