// Paths as people know files by them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace mcph {

// Absolute, unless the working directory is gone.
inline std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute;
}

// Whether `called` names the file: its path or the end of it, with the extension or without.
inline bool is_path_called(const std::filesystem::path& file, const std::filesystem::path& called) {
  const auto path = absolute_path(file).lexically_normal();
  const auto name = called.lexically_normal();
  const auto length = std::distance(name.begin(), name.end());
  if (length == 0 || length > std::distance(path.begin(), path.end())) return false;
  const auto end = std::prev(path.end(), length);
  return std::equal(end, std::prev(path.end()), name.begin()) &&
         (path.filename() == name.filename() || path.stem() == name.filename());
}

}  // namespace mcph
