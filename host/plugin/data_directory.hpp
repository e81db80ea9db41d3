// The folder that a plugin has for itself: PLACE below ROOT, the folder of all plugins' data. What lies below the root
// can have been changed by plugins, so it is made and opened folder by folder, and no link there is followed. A value;
// any thread.
#pragma once

#include <filesystem>

#include "base/file_descriptor.hpp"
#include "base/result.hpp"

namespace mcph {

struct DataDirectory {
  std::filesystem::path root;   // absolute; it may be a link
  std::filesystem::path place;  // names without "..", relative to the root

  std::filesystem::path path() const { return root / place; }

  // With O_PATH; made if it is not there, the root too. An error may pass: somebody can put things in order.
  Result<FileDescriptor> open() const;
};

}  // namespace mcph
