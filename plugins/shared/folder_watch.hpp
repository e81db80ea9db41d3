// FolderWatch: tells which files below some folders changed, by file events of the kernel, on a thread of its own, from
// its making until it is destroyed. What it says is a hint: a file is told when its writer has closed it, when it is
// moved or removed, and it may be told without having changed. Symbolic links inside the folders are not followed, and
// folders that are not there are awaited. A file that can be reached by two of the folders is told by either path.
// Where events cannot be had, it says so and tells nothing. A folder is told when its watch has begun, because what
// changed before was not seen; where it was not there before, or the kernel has dropped events, because there were
// too many, every file that is in it is told, too; one that was removed meanwhile is not.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "shared/descriptor.hpp"

struct inotify_event;

namespace plugins {

class FolderWatch {
 public:
  // Both are called on the thread of the watch and must not throw.
  struct Listener {
    std::function<void(const std::string& path)> changed;     // below one of the folders, as they were given
    std::function<void(const std::string& reason)> degraded;  // why changes will not be told; each reason once
  };
  enum class Events { kernel, none };  // none: as where the kernel has none to give

  static constexpr std::size_t max_folders = 1000;

  // `folders` are absolute. Of the folders below them as many are watched as the bound allows, the upper ones first.
  FolderWatch(std::vector<std::string> folders, Listener listener, std::size_t bound = max_folders,
              Events events = Events::kernel);
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;
  ~FolderWatch();

 private:
  enum class Files { known, told };

  void run();
  bool open(Events events);
  // True if each of the folders is watched now. Tells those that were not, and with Files::told their files.
  bool watch_folders(Files files);
  // The folder and those below it. Files::told: what lies in them may have changed.
  void watch_tree(const std::string& top, Files files);
  bool watch_one(const std::string& folder);
  bool is_given(const std::string& folder) const;
  std::vector<std::string> paths_of(int descriptor) const;
  void forget_tree(const std::string& top);
  void forget_all();
  // If some were dropped, no folder is watched any more.
  void read_events();
  void take(const inotify_event& event, const std::string& folder);
  void degrade(const std::string& reason);

  const std::vector<std::string> folders_;
  const Listener listener_;
  const std::size_t bound_;
  Descriptor inotify_;
  std::atomic<bool> is_stopped_ = false;  // ends also what takes long: a walk, or many events
  Descriptor stop_;                       // ends waiting
  // Watch descriptors with paths: the kernel has one descriptor for a folder, however many paths lead to it.
  std::set<std::pair<int, std::string>> watched_;
  std::set<std::pair<std::string, int>> by_path_;  // the same, because folders are forgotten by their paths
  std::set<std::string> reasons_;                  // that have been told
  std::thread thread_;                             // last, so that everything it uses is there when it begins
};

}  // namespace plugins
