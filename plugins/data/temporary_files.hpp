// TemporaryFiles: what SQLite may write to temporary files, where it sorts and groups what its cache does not hold. It
// is one bound for all connections that are opened with its VFS, which is the system's own but for the files without a
// name: these are counted, and a write beyond the bound fails as it does on a disk that is full. Any thread. The
// connections are closed before this object ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <sqlite3.h>
#include <string>

namespace plugins::data {

class TemporaryFiles {
 public:
  // Throws std::runtime_error if SQLite has no VFS to build on.
  explicit TemporaryFiles(std::int64_t max_bytes);
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;
  ~TemporaryFiles();

  const char* vfs_name() const { return name_.c_str(); }
  std::int64_t max_bytes() const { return max_bytes_; }
  // Of the files that are there now.
  std::int64_t bytes() const { return bytes_; }

 private:
  struct Vfs : sqlite3_vfs {
    TemporaryFiles* owner;
  };
  class File;

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags);
  // False if there would be more than the bound.
  bool take(std::int64_t bytes);
  void give_back(std::int64_t bytes) { bytes_ -= bytes; }

  const std::int64_t max_bytes_;
  std::atomic<std::int64_t> bytes_ = 0;
  sqlite3_vfs* const system_;
  const std::string name_;
  Vfs vfs_;
};

}  // namespace plugins::data
