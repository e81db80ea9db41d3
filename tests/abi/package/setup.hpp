// What outside.cpp exports, for outside_test.cpp too.
#pragma once

#include <mcp/plugin.hpp>

inline void setup(mcp::Plugin& plugin) {
  plugin.tool(
      "triple", "Three times as much.", [](int value) { return 3 * value; }, mcp::arg("value", "How much"));
}
