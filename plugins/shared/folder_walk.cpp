#include "shared/folder_walk.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/file_error.hpp"

namespace plugins {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

Directory open_directory(Descriptor folder) {
  DIR* directory = ::fdopendir(folder.get());
  if (!directory) throw FileError(errno);
  folder.release();
  return Directory(directory);
}

class Walk {
 public:
  Walk(const WalkLimits& limits, const WalkVisitor& visit) : limits_(limits), visit_(visit) {}

  // False when the walk is over.
  bool enter(Descriptor folder, const RelativePath& path, int depth) {
    const Directory directory = open_directory(std::move(folder));
    const std::vector<std::string> names = sorted_names(*directory);
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return visit_entry(::dirfd(directory.get()), name, path, depth);
    });
  }

  bool reached_limit() const { return reached_limit_; }

 private:
  std::vector<std::string> sorted_names(DIR& directory) {
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(&directory)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (seen_ == limits_.max_entries) {
        reached_limit_ = true;
        break;
      }
      ++seen_;
      names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  bool visit_entry(int directory, const std::string& name, const RelativePath& path, int depth) {
    WalkedEntry entry{path / name, {}};
    // What has been removed since it was read is no entry.
    if (::fstatat(directory, name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) != 0) return true;
    if (!visit_(entry)) return false;
    if (!S_ISDIR(entry.status.st_mode) || depth >= limits_.max_depth || reached_limit_) return true;
    Descriptor folder(::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return !folder.is_open() || enter(std::move(folder), entry.path, depth + 1);
  }

  const WalkLimits& limits_;
  const WalkVisitor& visit_;
  std::size_t seen_ = 0;
  bool reached_limit_ = false;
};

}  // namespace

bool walk_folder(Descriptor folder, const RelativePath& path, const WalkLimits& limits, const WalkVisitor& visit) {
  Walk walk(limits, visit);
  walk.enter(std::move(folder), path, 1);
  return !walk.reached_limit();
}

}  // namespace plugins
