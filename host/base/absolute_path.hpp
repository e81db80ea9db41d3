// A path as people find it again: absolute, unless the working directory is gone.
#pragma once

#include <filesystem>
#include <system_error>

namespace mcph {

inline std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute;
}

}  // namespace mcph
