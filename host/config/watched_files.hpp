// Tells when files change, also by another taking their place: looks at them many times a second, because notifications
// of the system do not come for all file systems and ways to replace a file. A change is told when the file has been
// the same in two looks, because somebody may still be writing it. The callback runs on a thread of this object.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "base/file_identity.hpp"
#include "base/mutex.hpp"

namespace mcph {

class WatchedFiles {
 public:
  static constexpr std::chrono::milliseconds interval{50};

  WatchedFiles() = default;
  ~WatchedFiles();
  WatchedFiles(const WatchedFiles&) = delete;
  WatchedFiles& operator=(const WatchedFiles&) = delete;

  // What is watched from now on; a file need not be there. What has changed since it was watched before is told.
  void watch(std::vector<std::filesystem::path> files);
  // Begins to look, and calls `look` after each time. Once. Where that finds no memory, the change is told again.
  void run(std::function<void(bool changed)> look);
  // Looks no more.
  void stop();

 private:
  struct Watched {
    std::filesystem::path file;
    std::optional<FileIdentity> told;  // nothing: it was not there
    std::optional<FileIdentity> seen;  // in the last look
  };

  bool wait();
  bool has_changed();

  Mutex mutex_;
  Condition ending_;
  bool end_ GUARDED_BY(mutex_) = false;
  std::vector<Watched> watched_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace mcph
