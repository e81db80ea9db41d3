// A walk through a folder and the folders in it, by descriptors, so that nothing that is renamed or linked meanwhile
// leads it elsewhere.
#pragma once

#include <cstddef>
#include <functional>
#include <sys/stat.h>

#include "shared/descriptor.hpp"
#include "shared/relative_path.hpp"

namespace plugins {

struct WalkLimits {
  int max_depth = 1;                 // 1: the entries of the folder itself
  std::size_t max_entries = 100000;  // seen, whether or not anybody is interested in them
};

struct WalkedEntry {
  RelativePath path;  // below the root, not below the folder in which the walk began
  struct stat status;
};

// False ends the walk.
using WalkVisitor = std::function<bool(const WalkedEntry&)>;

// What a walk has not shown.
struct WalkGaps {
  bool reached_limit = false;  // max_entries ended it
  // Something inside could not be looked at for a reason of the moment: what was there before may be there still.
  bool has_failed = false;

  bool any() const { return reached_limit || has_failed; }
};

// Entries ordered by name, each folder before its content. Symbolic links are entries and are not followed. A folder
// inside that cannot be read is an entry without content. `folder` is open for reading, and `path` is its own below
// the root. Throws FileError if `folder` itself cannot be read.
WalkGaps walk_folder(Descriptor folder, const RelativePath& path, const WalkLimits& limits, const WalkVisitor& visit);

}  // namespace plugins
