#include "config/watched_files.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace mcph {
namespace {

std::optional<FileIdentity> identity_of(const std::filesystem::path& file) {
  struct ::stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return identity_from(status);
}

}  // namespace

WatchedFiles::~WatchedFiles() {
  stop();
}

void WatchedFiles::stop() {
  {
    const MutexLock lock(mutex_);
    end_ = true;
  }
  ending_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WatchedFiles::watch(std::vector<std::filesystem::path> files) {
  const MutexLock lock(mutex_);
  std::vector<Watched> watched;
  for (auto& file : files) {
    const auto known = std::ranges::find(watched_, file, &Watched::file);
    if (known != watched_.end()) {
      watched.push_back(*known);
    } else {
      const auto identity = identity_of(file);
      watched.push_back({std::move(file), identity, identity});
    }
  }
  watched_ = std::move(watched);
}

void WatchedFiles::run(std::function<void(bool changed)> look) {
  thread_ = std::thread([this, look = std::move(look)] {
    bool changed = false;
    while (wait()) {
      changed = has_changed() || changed;
      try {
        look(changed);
        changed = false;
      } catch (const std::bad_alloc&) {
        // There is no memory: it is told of the same change again.
      }
    }
  });
}

bool WatchedFiles::wait() {
  MutexLock lock(mutex_);
  if (!end_) ending_.wait_for(lock, interval);
  return !end_;
}

bool WatchedFiles::has_changed() {
  bool any = false;
  const MutexLock lock(mutex_);
  for (auto& [file, told, seen] : watched_) {
    const auto now = identity_of(file);
    const bool is_still = now == std::exchange(seen, now);
    if (!is_still || now == told) continue;
    told = now;
    any = true;
  }
  return any;
}

}  // namespace mcph
