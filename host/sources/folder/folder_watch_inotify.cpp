#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <map>
#include <poll.h>
#include <set>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/file_descriptor.hpp"
#include "base/regular_file.hpp"
#include "sources/folder/folder_watch.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;

// Not IN_MODIFY: a file that is being written is of no use yet, and each of its writes would be an event. The end of
// writing is IN_CLOSE_WRITE.
constexpr std::uint32_t watched_events = IN_CREATE | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO |
                                         IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

// Before it is looked at again where that failed.
constexpr std::chrono::milliseconds error_pause{10};

// What is to be heard about one watched folder.
struct Interest {
  bool everything = false;      // it is one of the folders that the caller named
  std::set<std::string> names;  // folders in it that the caller named, or that lead to one that does not exist yet

  bool covers(const Interest& other) const {
    return everything ||
           (!other.everything && std::includes(names.begin(), names.end(), other.names.begin(), other.names.end()));
  }
  bool concerns(const ::inotify_event& event) const {
    if (everything || event.len == 0) return true;  // an event without a name is about the folder itself
    return names.contains(event.name);
  }
};

class InotifyWatch final : public FolderWatch {
 public:
  InotifyWatch(FileDescriptor inotify, FileDescriptor wake_event)
      : inotify_(std::move(inotify)), wake_event_(std::move(wake_event)) {}

  void watch(const std::vector<fs::path>& folders) override;
  bool wait(std::chrono::milliseconds timeout) override;
  void pause(std::chrono::milliseconds time) override;
  void wake() override;
  std::string degraded_reason() const override { return degraded_reason_; }

 private:
  using Interests = std::map<int, Interest>;  // by watch descriptor: one for each folder, however many paths lead to it

  void add_folder(const fs::path& folder, Interests& interests);
  Interest* add(const fs::path& folder, Interests& interests);
  void note_failure(const fs::path& folder);
  void drain_events();
  void take(const ::inotify_event& event);

  FileDescriptor inotify_;
  FileDescriptor wake_event_;
  Interests interests_;
  bool hint_ = false;
  std::string degraded_reason_;
};

// Every path is looked up anew: adding a watch that exists changes nothing and returns the same descriptor, while a
// folder that has taken the place of another one gets a new descriptor.
void InotifyWatch::watch(const std::vector<fs::path>& folders) {
  Interests wanted;
  degraded_reason_.clear();
  for (const auto& folder : folders) {
    std::error_code error;
    if (const auto absolute = fs::absolute(folder, error); !error) add_folder(absolute, wanted);
  }
  for (const auto& [descriptor, interest] : interests_) {
    if (!wanted.contains(descriptor)) ::inotify_rm_watch(inotify_.get(), descriptor);
  }
  for (const auto& [descriptor, interest] : wanted) {
    const auto known = interests_.find(descriptor);
    if (known == interests_.end() || !known->second.covers(interest)) hint_ = true;
  }
  interests_ = std::move(wanted);
}

// Watches the folder, and in its parent its name: a folder that is a link can be pointed elsewhere without any event in
// itself. Where it does not exist, the next name on the way to it is awaited in the nearest parent that can be watched.
void InotifyWatch::add_folder(const fs::path& folder, Interests& interests) {
  auto path = folder.has_filename() ? folder : folder.parent_path();
  auto* const found = add(path, interests);
  if (found != nullptr) {
    found->everything = true;
  } else {
    note_failure(path);
  }
  while (path.has_relative_path()) {
    const auto name = path.filename().string();
    path = path.parent_path();
    if (auto* const parent = add(path, interests)) {
      parent->names.insert(name);
      return;
    }
    // Not worth a word where the folder itself can be watched.
    if (found == nullptr) note_failure(path);
  }
}

// Null, and the reason in errno, if it cannot be watched.
Interest* InotifyWatch::add(const fs::path& folder, Interests& interests) {
  const int descriptor = ::inotify_add_watch(inotify_.get(), folder.c_str(), watched_events);
  return descriptor >= 0 ? &interests[descriptor] : nullptr;
}

void InotifyWatch::note_failure(const fs::path& folder) {
  if (errno == ENOENT || errno == ENOTDIR) return;
  degraded_reason_ =
      errno == ENOSPC ? "the system's limit of watched files and folders is reached; raise fs.inotify.max_user_watches"
                      : folder.string() + " cannot be watched: " + last_error();
}

bool InotifyWatch::wait(std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + timeout;
  std::array<::pollfd, 2> sources{{{inotify_.get(), POLLIN, 0}, {wake_event_.get(), POLLIN, 0}}};
  bool woken = false;
  while (!hint_ && !woken) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    const auto ready = ::poll(sources.data(), sources.size(), static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (ready == 0) break;
    if (ready < 0 && errno != EINTR) std::this_thread::sleep_for(error_pause);  // the kernel has no memory for it
    if (ready < 0) continue;
    if (sources[0].revents != 0) drain_events();
    if (sources[1].revents != 0) {
      std::uint64_t count = 0;
      woken = ::read(wake_event_.get(), &count, sizeof count) == sizeof count;
    }
  }
  drain_events();
  return std::exchange(hint_, false);
}

void InotifyWatch::pause(std::chrono::milliseconds time) {
  if (time.count() <= 0) return;
  ::pollfd source{wake_event_.get(), POLLIN, 0};
  // A signal ends it early, and then a look comes early.
  ::poll(&source, 1, static_cast<int>(time.count()));
}

void InotifyWatch::wake() {
  const std::uint64_t one = 1;
  // Fails only if the counter is full of wakes that nobody has seen yet, and then one more changes nothing.
  [[maybe_unused]] const auto written = ::write(wake_event_.get(), &one, sizeof one);
}

void InotifyWatch::drain_events() {
  alignas(::inotify_event) std::array<char, 16384> buffer;  // an event has at most 16 bytes and a name of 256
  for (;;) {
    const auto size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    const char* const end = buffer.data() + size;
    for (const char* at = buffer.data(); at < end;) {
      const auto* const event = reinterpret_cast<const ::inotify_event*>(at);
      take(*event);
      at += sizeof(::inotify_event) + event->len;
    }
  }
}

void InotifyWatch::take(const ::inotify_event& event) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) {
    hint_ = true;
    return;
  }
  const auto interest = interests_.find(event.wd);
  if (interest == interests_.end()) return;  // forgotten meanwhile
  if (interest->second.concerns(event)) hint_ = true;
  if ((event.mask & IN_IGNORED) != 0) interests_.erase(interest);  // the kernel has dropped the watch with its folder
}

}  // namespace

std::unique_ptr<FolderWatch> FolderWatch::create() {
  FileDescriptor inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify) {
    const auto remedy = errno == EMFILE ? "; raise fs.inotify.max_user_instances or the limit of open files" : "";
    return std::make_unique<PollingWatch>("file events cannot be had (inotify: " + last_error() + ")" + remedy);
  }
  FileDescriptor wake_event(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake_event) {
    return std::make_unique<PollingWatch>("file events cannot be had (eventfd: " + last_error() + ")");
  }
  return std::make_unique<InotifyWatch>(std::move(inotify), std::move(wake_event));
}

}  // namespace mcph
