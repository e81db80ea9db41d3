// How a file is called that lies in a folder, and whether it does. Free functions; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace mcph {

// The path of the file as seen from the folder, whichever of the two is said relative to where the program runs.
inline std::string path_within(const std::filesystem::path& folder, const std::filesystem::path& file) {
  std::error_code error;
  const auto from = std::filesystem::absolute(folder, error);
  const auto to = error ? file : std::filesystem::absolute(file, error);
  return error ? file.generic_string()
               : to.lexically_normal().lexically_relative(from.lexically_normal()).generic_string();
}

// Whether it does so by their names, both absolute or both relative to the same, without ".." in them.
inline bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace mcph
