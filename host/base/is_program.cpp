#include "base/is_program.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace mcph {

bool is_program(const std::filesystem::path& program, const char* path) {
  const auto can_run = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return ::access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file, ignored);
  };
  if (program.native().find('/') != std::string::npos) return can_run(program);
  std::string_view folders(path == nullptr ? "/bin:/usr/bin" : path);
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    if (can_run(std::filesystem::path(folders.substr(0, end)) / program)) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

}  // namespace mcph
