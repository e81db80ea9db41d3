#include "cli/own_prefix.hpp"

#include <system_error>

namespace mcph {

std::filesystem::path own_prefix() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
}

}  // namespace mcph
