#include "shared/folder_watch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <system_error>
#include <utility>

namespace plugins {
namespace {

namespace fs = std::filesystem;

// Not IN_MODIFY: each write of a file would be an event, and what is half written is of no use yet.
constexpr std::uint32_t wanted_events =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr std::chrono::milliseconds look_for_missing{2000};
constexpr std::size_t max_entries = 100;  // for each folder that may be watched, looked at below one that was given

std::string words(int error) {
  return std::generic_category().message(error);
}

bool is_below(const std::string& path, const std::string& top) {
  return path.starts_with(top) && (path.size() == top.size() || top.ends_with('/') || path[top.size()] == '/');
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

}  // namespace

FolderWatch::FolderWatch(std::vector<std::string> folders, Listener listener, std::size_t bound, Events events)
    : folders_(std::move(folders)),
      listener_(std::move(listener)),
      bound_(bound),
      stop_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      thread_([this, events] {
        if (open(events)) run();
      }) {}

FolderWatch::~FolderWatch() {
  is_stopped_ = true;
  const std::uint64_t one = 1;
  // Fails only if somebody has said so already.
  [[maybe_unused]] const auto written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

bool FolderWatch::open(Events events) {
  if (events == Events::none) {
    degrade("file events cannot be had");
    return false;
  }
  inotify_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (inotify_.is_open() && stop_.is_open()) return true;
  const auto* const remedy = errno == EMFILE ? "; raise fs.inotify.max_user_instances or the limit of open files" : "";
  degrade("file events cannot be had: " + words(errno) + remedy);
  return false;
}

void FolderWatch::run() {
  std::array<::pollfd, 2> sources{{{inotify_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  Files files = Files::known;
  while (!is_stopped_) {
    const int timeout = watch_folders(files) ? -1 : static_cast<int>(look_for_missing.count());
    if (::poll(sources.data(), sources.size(), timeout) < 0 && errno != EINTR)
      return degrade("file events cannot be had any more: " + words(errno));
    read_events();
    files = Files::told;
  }
}

bool FolderWatch::watch_folders(Files files) {
  const auto is_watched = [this](const std::string& folder) {
    const auto at = by_path_.lower_bound({folder, 0});
    return at != by_path_.end() && at->first == folder;
  };
  bool all = true;
  for (const auto& folder : folders_) {
    if (is_watched(folder)) continue;
    watch_tree(folder, files);
    if (is_watched(folder)) {
      listener_.changed(folder);
    } else {
      all = false;
    }
  }
  return all;
}

void FolderWatch::watch_tree(const std::string& top, Files files) {
  std::size_t entries = 0;
  std::deque<std::string> waiting{top};
  for (; !waiting.empty(); waiting.pop_front()) {
    const auto& folder = waiting.front();
    if (!watch_one(folder)) continue;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (is_stopped_) return;
      if (++entries > bound_ * max_entries)
        return degrade("there are too many files below " + top + " to watch them all");
      const auto path = joined(folder, entry->path().filename().string());
      const auto type = entry->symlink_status(error).type();
      if (type == fs::file_type::directory) waiting.push_back(path);
      if (type == fs::file_type::regular && files == Files::told) listener_.changed(path);
    }
  }
}

bool FolderWatch::watch_one(const std::string& folder) {
  if (watched_.size() >= bound_) {
    degrade("only " + std::to_string(bound_) + " folders are watched; what changes in others is not told");
    return false;
  }
  // Only the folders that were given may be links: they are trusted.
  const int descriptor =
      ::inotify_add_watch(inotify_.get(), folder.c_str(), wanted_events | (is_given(folder) ? 0 : IN_DONT_FOLLOW));
  if (descriptor >= 0) {
    watched_.emplace(descriptor, folder);
    by_path_.emplace(folder, descriptor);
    return true;
  }
  if (errno == ENOSPC) {
    degrade("the system's limit of watched folders is reached; raise fs.inotify.max_user_watches");
  } else if (errno != ENOENT && errno != ENOTDIR) {
    degrade(folder + " cannot be watched: " + words(errno));
  }
  return false;
}

bool FolderWatch::is_given(const std::string& folder) const {
  return std::find(folders_.begin(), folders_.end(), folder) != folders_.end();
}

std::vector<std::string> FolderWatch::paths_of(int descriptor) const {
  std::vector<std::string> paths;
  for (auto at = watched_.lower_bound({descriptor, ""}); at != watched_.end() && at->first == descriptor; ++at)
    paths.push_back(at->second);
  return paths;
}

void FolderWatch::forget_tree(const std::string& top) {
  for (auto at = by_path_.lower_bound({top, 0}); at != by_path_.end() && at->first.starts_with(top);) {
    if (!is_below(at->first, top)) {
      ++at;
      continue;
    }
    const int descriptor = at->second;
    watched_.erase({descriptor, at->first});
    at = by_path_.erase(at);
    if (paths_of(descriptor).empty()) ::inotify_rm_watch(inotify_.get(), descriptor);
  }
}

void FolderWatch::forget_all() {
  for (const auto& [descriptor, folder] : watched_)
    ::inotify_rm_watch(inotify_.get(), descriptor);
  watched_.clear();
  by_path_.clear();
}

void FolderWatch::read_events() {
  alignas(::inotify_event) std::array<char, 16384> buffer;  // an event has at most 16 bytes and a name of 256
  while (!is_stopped_) {
    const auto size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    const char* const end = buffer.data() + size;
    for (const char* at = buffer.data(); at < end && !is_stopped_;) {
      const auto* const event = reinterpret_cast<const ::inotify_event*>(at);
      // Which files changed, and where the folders are now, only a new walk can tell.
      if ((event->mask & IN_Q_OVERFLOW) != 0) forget_all();
      for (const auto& folder : paths_of(event->wd))
        take(*event, folder);
      at += sizeof(::inotify_event) + event->len;
    }
  }
}

void FolderWatch::take(const ::inotify_event& event, const std::string& folder) {
  if ((event.mask & (IN_IGNORED | IN_DELETE_SELF)) != 0) return forget_tree(folder);
  // Of another folder, the one above has told that it was moved.
  if ((event.mask & IN_MOVE_SELF) != 0 && is_given(folder)) return forget_tree(folder);
  if (event.len == 0) return;
  const std::string path = joined(folder, event.name);
  if ((event.mask & IN_ISDIR) == 0) {
    // The file that was made is told when its writer has closed it.
    if ((event.mask & IN_CREATE) == 0) listener_.changed(path);
  } else if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
    watch_tree(path, Files::told);
  } else {
    forget_tree(path);
    listener_.changed(path);
  }
}

void FolderWatch::degrade(const std::string& reason) {
  if (reasons_.insert(reason).second) listener_.degraded(reason);
}

}  // namespace plugins
