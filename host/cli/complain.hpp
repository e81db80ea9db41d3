// What every command does that could not be carried out, and with what it has printed.
#pragma once

#include <cerrno>
#include <iostream>
#include <string_view>
#include <unistd.h>

namespace mcph {

// The status with which the program exits then.
inline constexpr int not_carried_out = 2;

// Says why, and returns the status.
inline int complain(std::string_view why) {
  std::cerr << "mcp-plugin-host: " << why << "\n";
  return not_carried_out;
}

// Writes what has been printed. 0, or the system's error for which some of it cannot be written, which is told once.
inline int write_printed() {
  if (std::cout.flush()) return 0;
  std::cout.clear();
  // It may have failed long ago; what fails again says why.
  return ::write(STDOUT_FILENO, "\n", 1) == 1 ? EIO : errno;
}

}  // namespace mcph
