// expect: a resource returns a text, bytes (std::vector<std::uint8_t> or <std::byte>), mcp::Json
#include <mcp/plugin/typed.hpp>

struct Answer {
  explicit Answer(int) {}
};

void setup(mcp::Plugin& plugin) {
  plugin.resource("answer://", "answer", "The answer.", [] { return Answer(42); });
}
