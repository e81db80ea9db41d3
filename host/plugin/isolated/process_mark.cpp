#include "plugin/isolated/process_mark.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <poll.h>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#include "base/file_descriptor.hpp"
#include "base/random_bytes.hpp"

namespace mcph {
namespace {

// What starts others faster than they are found is not followed for ever.
constexpr int max_looks = 100;

std::uint64_t random_mark() {
  std::uint64_t value = 0;
  const auto bytes = random_bytes(sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value >> 1;  // no limit at all is the largest number
}

std::optional<int> process_called(const std::string& name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

bool has_mark(int process, std::uint64_t mark) {
  rlimit limit{};
  return ::prlimit(process, RLIMIT_LOCKS, nullptr, &limit) == 0 && limit.rlim_cur == mark;
}

// True if it had the mark and lived.
bool end_marked(int process, std::uint64_t mark) {
  // There are many processes, so most are opened never. Those that are are asked again: as long as the one that was
  // opened lives, its number is no other's.
  if (!has_mark(process, mark)) return false;
  const FileDescriptor end(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!end && errno == ENOSYS) return ::kill(process, SIGKILL) == 0;
  if (!end || !has_mark(process, mark)) return false;
  pollfd ended{end.get(), POLLIN, 0};
  if (::poll(&ended, 1, 0) != 0) return false;
  return ::syscall(SYS_pidfd_send_signal, end.get(), SIGKILL, nullptr, 0) == 0;
}

}  // namespace

ProcessMark::ProcessMark() : value_(random_mark()) {}

void ProcessMark::put_on(int process) const {
  rlimit limit{};
  if (::prlimit(process, RLIMIT_LOCKS, nullptr, &limit) != 0) return;
  limit.rlim_cur = value_;
  ::prlimit(process, RLIMIT_LOCKS, &limit, nullptr);
}

bool ProcessMark::is_on(int process) const {
  return has_mark(process, value_);
}

ProcessMark::Ended ProcessMark::end_descendants_of(int process) const {
  Ended result;
  // Those that have been killed may take their time to end.
  std::set<int> ended{process};
  for (int look = 0; look < max_looks; ++look) {
    const auto before = ended.size();
    std::error_code error;
    for (std::filesystem::directory_iterator entry("/proc", error), last; !error && entry != last;
         entry.increment(error)) {
      const auto found = process_called(entry->path().filename().string());
      if (!found || ended.contains(*found)) continue;
      const bool is_in_group = ::getpgid(*found) == process;
      if (!end_marked(*found, value_)) continue;
      ended.insert(*found);
      if (!is_in_group) ++result.had_left;
    }
    if (ended.size() == before) return result;
  }
  result.all = false;
  return result;
}

}  // namespace mcph
