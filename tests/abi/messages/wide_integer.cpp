// expect: an integer of more than 64 bits has no JSON form: use std::int64_t, std::uint64_t, or std::string
// standard: gnu++20
#include <mcp/plugin/typed.hpp>

void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "is_even", "Is it?", [](__int128 number) { return number % 2 == 0; }, mcp::arg("number"));
}
