#include "base/own_prefix.hpp"

#include <system_error>

namespace mcph {

std::filesystem::path own_prefix() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
}

std::filesystem::path own_helper(std::string_view name) {
  return own_prefix() / "libexec/mcp-plugin-host" / name;
}

}  // namespace mcph
