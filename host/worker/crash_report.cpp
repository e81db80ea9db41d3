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
#include <ucontext.h>
#include <unistd.h>

#include "plugin/worker_setup.hpp"

namespace mcph {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
constexpr int most_frames = 64;
// At which other runtimes, such as Java's, tell of their threads, too.
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

// The instruction that a signal interrupted; null where this does not know the processor.
void* interrupted([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  return std::bit_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return std::bit_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

// Without those of the report itself, where it can be seen which they are.
void say_frames(const void* context) {
  std::array<void*, most_frames> frames{};
  auto* const end = frames.begin() + ::backtrace(frames.data(), most_frames);
  auto* const first = std::find(frames.begin(), end, interrupted(context));
  if (first != end) say_frame(static_cast<const char*>(*first));
  // All others are where a call returns to, which may be another line already.
  for (auto* frame = first != end ? first + 1 : frames.begin(); frame != end; ++frame)
    say_frame(static_cast<const char*>(*frame) - 1);
}

void report(int signal, siginfo_t* /*info*/, void* context) {
  // Looking at the stack may take a lock that this thread holds.
  constexpr unsigned patience_s = 2;
  ::alarm(patience_s);
  const char* const name = ::sigabbrev_np(signal);
  // What the plugin has begun to print is a line of its own.
  say("\n");
  Line().text(worker_crashes).text(name == nullptr ? "?" : name).text("; backtrace:").write();
  say_frames(context);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::atomic<unsigned> places_asked{0};
std::atomic<unsigned> places_told{0};

void report_place(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const int error = errno;
  say("\n");
  Line().text(worker_place).write();
  say_frames(context);
  ++places_told;
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
  action.sa_sigaction = report;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (const int signal : crashes)
    ::sigaction(signal, &action, nullptr);
  action.sa_sigaction = report_place;
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
  if (::pthread_kill(thread, place_signal) != 0) return;
  ++places_asked;
  // Of all of them, so that an earlier one that took longer does not count for this one.
  while (places_told.load() < places_asked.load() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void report_lack_of_memory() {
  std::set_new_handler(give_no_memory);
}

}  // namespace mcph
