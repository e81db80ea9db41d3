// RootedDirectory: a directory whose files can be reached and nothing else, whatever the path says and whatever others
// rename or link meanwhile. Every path is resolved by the kernel in one step that cannot leave the directory
// (openat2(2) with RESOLVE_BENEATH), and what follows is done on the descriptor that came out of it. Where the kernel
// lacks that, each component is opened on its own and symbolic links are refused.
//
// An immutable value that holds no descriptor: each operation opens the directory anew, so that a directory that has
// been replaced or mounted since is the one that is used. Any number of threads may use one.
#pragma once

#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>

#include "shared/descriptor.hpp"
#include "shared/file_error.hpp"
#include "shared/folder_walk.hpp"
#include "shared/relative_path.hpp"

namespace plugins {

// Who makes sure that a path stays below the directory.
enum class Resolution {
  kernel,    // openat2, or, where that is missing, stepwise; relative links work as long as they stay below
  stepwise,  // this code; no symbolic links
};

// Every operation throws FileError.
class RootedDirectory {
 public:
  // `path` is absolute and trusted: symbolic links in it are followed.
  explicit RootedDirectory(std::string path, Resolution resolution = Resolution::kernel);

  const std::string& path() const { return path_; }
  // Why nothing of it can be read now: it is not there, it is no folder, or access is denied, as by a sandbox.
  std::optional<FileError> why_unreadable() const;

  // A whole regular file. One of more than `max_size` bytes is an error.
  std::string read(const RelativePath& path, std::uint64_t max_size) const;

  // A regular file, open for reading, for what is too large to be read at once.
  Descriptor open_file(const RelativePath& path) const { return open_regular(path, O_RDONLY); }

  // Of what has this path, a symbolic link itself included; nothing if there is nothing.
  std::optional<struct stat> status(const RelativePath& path) const;

  // Replaces or makes a file in one step: readers see the old content or the new one. Keeps the permissions of the file
  // that was there. Refuses a symbolic link, because the step would replace the link itself.
  void write(const RelativePath& path, std::string_view content) const;

  // Adds to the end of a regular file, which is made if it is not there. Does not make it larger than `max_size`.
  // After a failure it is as it was, or empty if this has made it, unless others have appended meanwhile, which the
  // error says.
  void append(const RelativePath& path, std::string_view content, std::uint64_t max_size) const;

  // Makes the folder and those above it that are missing.
  void make_folders(const RelativePath& path) const;

  // See walk_folder.
  WalkGaps walk(const RelativePath& folder, const WalkLimits& limits, const WalkVisitor& visit) const;

 private:
  Descriptor open_root() const;
  Descriptor open(const RelativePath& path, int flags, mode_t mode = 0) const;
  Descriptor open_stepwise(const RelativePath& path, int flags, mode_t mode) const;
  Descriptor open_regular(const RelativePath& path, int flags, mode_t mode = 0) const;

  std::string path_;
  Resolution resolution_;
};

}  // namespace plugins
