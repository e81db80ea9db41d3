// TemporaryFile: a new file in a folder that vanishes with this object unless it was renamed to what it is for. Used by
// one thread; the folder's descriptor must outlive it.
#pragma once

#include <string>
#include <sys/types.h>

#include "shared/descriptor.hpp"

namespace plugins {

class TemporaryFile {
 public:
  // Throws FileError, as every function here.
  explicit TemporaryFile(const Descriptor& folder);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const Descriptor& descriptor() const { return file_; }

  // In place of what has this name in the same folder, in one step. The content is on the disk before.
  void replace(const std::string& name);

 private:
  int folder_;
  std::string name_;
  Descriptor file_;
  bool is_renamed_ = false;
};

}  // namespace plugins
