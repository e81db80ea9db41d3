// FileLock: who does something in a data directory, alone or with others who share it. Several versions of a plugin,
// and several hosts, may use one at once. Held until it is destroyed, or its process ends.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "shared/descriptor.hpp"

namespace plugins {

class FileLock {
 public:
  // `file_name` is made if it is not there. Nothing while somebody else holds it. Throws FileError if there can be
  // none.
  static std::optional<FileLock> try_take(const std::string& file_name);
  // With others. Waits while somebody holds it alone.
  static FileLock share(const std::string& file_name);

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace plugins
