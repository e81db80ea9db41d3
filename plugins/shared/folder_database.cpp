#include "shared/folder_database.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "shared/file_lock.hpp"
#include "shared/sqlite.hpp"

namespace plugins {

// The hash is FNV-1a.
std::string database_of_folder(const std::string& data, std::string_view kind, const std::string& folder) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : folder)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return data + '/' + std::string(kind) + '-' + std::to_string(hash) + ".db";
}

void remove_other_databases(const std::string& data, std::string_view kind, const std::string& file) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(data, ignored)) {
    const auto path = entry.path().string();
    if (!entry.path().filename().string().starts_with(std::string(kind) + '-') || !path.ends_with(".db")) continue;
    if (path == file) continue;
    const auto lock = FileLock::try_take(path + ".lock");
    if (lock) sqlite::remove_database(path);
  }
}

}  // namespace plugins
