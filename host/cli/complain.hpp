// What every command does that could not be carried out.
#pragma once

#include <iostream>
#include <string_view>

namespace mcph {

// The status with which the program exits then.
inline constexpr int not_carried_out = 2;

// Says why, and returns the status.
inline int complain(std::string_view why) {
  std::cerr << "mcp-plugin-host: " << why << "\n";
  return not_carried_out;
}

}  // namespace mcph
