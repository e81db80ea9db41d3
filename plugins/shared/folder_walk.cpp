#include "shared/folder_walk.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
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

struct OpenFolder {
  Directory directory;
  std::vector<std::string> names;  // in order
};

Directory open_directory(Descriptor folder) {
  DIR* directory = ::fdopendir(folder.get());
  if (!directory) throw FileError(errno);
  folder.release();
  return Directory(directory);
}

Directory open_directory_in(int directory, const std::string& name) {
  const int fd = ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) throw FileError(errno);
  return open_directory(Descriptor(fd));
}

class Walk {
 public:
  Walk(const WalkLimits& limits, const WalkVisitor& visit) : limits_(limits), visit_(visit) {}

  OpenFolder read(Directory directory) {
    OpenFolder folder{std::move(directory), {}};
    while (const auto name = next_name(*folder.directory)) {
      if (*name == "." || *name == "..") continue;
      if (seen_ == limits_.max_entries) {
        gaps_.reached_limit = true;
        break;
      }
      ++seen_;
      folder.names.emplace_back(*name);
    }
    std::sort(folder.names.begin(), folder.names.end());
    return folder;
  }

  // False when the walk is over.
  bool visit(const OpenFolder& folder, const RelativePath& path, int depth) {
    return std::all_of(folder.names.begin(), folder.names.end(), [&](const std::string& name) {
      return visit_entry(::dirfd(folder.directory.get()), name, path, depth);
    });
  }

  const WalkGaps& gaps() const { return gaps_; }

 private:
  // Of the next entry, until the next call; nothing at the end.
  static std::optional<std::string_view> next_name(DIR& directory) {
    errno = 0;
    if (const dirent* entry = ::readdir(&directory)) return entry->d_name;
    if (errno != 0) throw FileError(errno);
    return std::nullopt;
  }

  bool visit_entry(int directory, const std::string& name, const RelativePath& path, int depth) {
    WalkedEntry entry{path / name, {}};
    // What has been removed since it was read is no entry.
    if (::fstatat(directory, name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) != 0) {
      note(FileError(errno));
      return true;
    }
    if (!visit_(entry)) return false;
    if (!S_ISDIR(entry.status.st_mode) || depth >= limits_.max_depth || gaps_.reached_limit) return true;
    const auto folder = read_inside(directory, name);
    return !folder || visit(*folder, entry.path, depth + 1);
  }

  std::optional<OpenFolder> read_inside(int directory, const std::string& name) {
    try {
      return read(open_directory_in(directory, name));
    } catch (const FileError& error) {
      note(error);
      return std::nullopt;
    }
  }

  void note(const FileError& error) { gaps_.has_failed = gaps_.has_failed || error.is_of_the_moment(); }

  const WalkLimits& limits_;
  const WalkVisitor& visit_;
  std::size_t seen_ = 0;
  WalkGaps gaps_;
};

}  // namespace

WalkGaps walk_folder(Descriptor folder, const RelativePath& path, const WalkLimits& limits, const WalkVisitor& visit) {
  Walk walk(limits, visit);
  walk.visit(walk.read(open_directory(std::move(folder))), path, 1);
  return walk.gaps();
}

}  // namespace plugins
