#include "worker/crash_report.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <memory>
#include <new>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "plugin/worker_setup.hpp"

namespace mcph {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
constexpr int most_frames = 64;
// Those of the report itself, and that from which the system calls it.
constexpr std::size_t own_frames = 3;
// What a Java machine tells of its threads when it gets it.
constexpr int place_signal = SIGQUIT;

// Only what is safe in a signal handler.
void say(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

// A line that is written at once, because other threads may be writing theirs. What does not fit is cut off.
class Line {
 public:
  Line& text(std::string_view text) {
    const auto size = std::min(text.size(), bytes_.size() - 1 - size_);
    std::copy_n(text.begin(), size, bytes_.begin() + size_);
    size_ += size;
    return *this;
  }
  Line& number(std::uintptr_t number) {
    constexpr int hexadecimal = 16;
    std::array<char, 2 * sizeof number> digits{};
    const auto* const end = std::to_chars(digits.begin(), digits.end(), number, hexadecimal).ptr;
    return text("0x").text({digits.begin(), end});
  }
  void write() {
    bytes_.at(size_++) = '\n';
    say({bytes_.data(), size_});
  }

 private:
  static constexpr std::size_t most_bytes = 1024;

  std::array<char, most_bytes> bytes_{};
  std::size_t size_ = 0;
};

// FILE+OFFSET, as addr2line takes it, and the function if the file names it.
void say_frame(const char* address) {
  Line line;
  Dl_info place{};
  if (::dladdr(address, &place) == 0) return line.number(std::bit_cast<std::uintptr_t>(address)).write();
  const auto offset = address - static_cast<const char*>(place.dli_fbase);
  line.text(place.dli_fname).text("+").number(static_cast<std::uintptr_t>(offset));
  if (place.dli_sname != nullptr) line.text(" ").text(place.dli_sname);
  line.write();
}

// From the one on which the signal came. A frame of its own, which is not counted among those.
[[gnu::noinline]] void say_frames() {
  std::array<void*, most_frames> frames{};
  const auto count = static_cast<std::size_t>(::backtrace(frames.data(), most_frames));
  for (auto i = own_frames; i < count; ++i) {
    const auto* const address = static_cast<const char*>(frames.at(i));
    // All but the first are where a call returns to, which may be another line already.
    say_frame(i == own_frames ? address : address - 1);
  }
}

void report(int signal) {
  // Looking at the stack may take a lock that this thread holds.
  constexpr unsigned patience_s = 2;
  ::alarm(patience_s);
  const char* const name = ::sigabbrev_np(signal);
  // What the plugin has begun to print is a line of its own.
  say("\n");
  Line().text(worker_crashes).text(name == nullptr ? "?" : name).text("; backtrace:").write();
  say_frames();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Places that have been reported.
std::atomic<unsigned> places{0};

void report_place(int) {
  const int error = errno;
  say("\n");
  Line().text(worker_hangs).write();
  say_frames();
  ++places;
  errno = error;
}

// What operator new calls until there is memory, or until it throws.
void give_no_memory() {
  static std::atomic_flag told;
  if (!told.test_and_set()) {
    say("\n");
    Line().text(worker_lacks_memory).write();
  }
  throw std::bad_alloc();
}

class SignalStack {
 public:
  SignalStack() : bytes_(new char[size]) {
    const stack_t stack{.ss_sp = bytes_.get(), .ss_flags = 0, .ss_size = size};
    ::sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    ::sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t size = std::size_t{64} << 10;

  std::unique_ptr<char[]> bytes_;  // NOLINT(modernize-avoid-c-arrays): left as it is, so that it takes no memory
};

}  // namespace

void report_crashes() {
  // The first one loads what it needs, which a handler must not.
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);
  struct ::sigaction action {};
  action.sa_handler = report;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : crashes)
    ::sigaction(signal, &action, nullptr);
  action.sa_handler = report_place;
  action.sa_flags |= SA_RESTART;
  ::sigaction(place_signal, &action, nullptr);
  report_crashes_of_this_thread();
}

void report_crashes_of_this_thread() {
  static thread_local SignalStack stack;
}

void report_place_of(pthread_t thread) {
  constexpr std::chrono::milliseconds patience{20};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto before = places.load();
  if (::pthread_kill(thread, place_signal) != 0) return;
  while (places.load() == before && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void report_lack_of_memory() {
  std::set_new_handler(give_no_memory);
}

}  // namespace mcph
