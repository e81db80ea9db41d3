#include "worker/crash_report.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <execinfo.h>
#include <memory>
#include <new>
#include <string_view>
#include <unistd.h>

#include "plugin/worker_setup.hpp"

namespace mcph {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
constexpr int most_frames = 64;

// Only what is safe in a signal handler.
void say(std::string_view text) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void report(int signal) {
  // Looking at the stack may take a lock that this thread holds.
  constexpr unsigned patience_s = 2;
  ::alarm(patience_s);
  const char* const name = ::sigabbrev_np(signal);
  say("the plugin crashed: SIG");
  say(name == nullptr ? "?" : name);
  say("; backtrace:\n");
  std::array<void*, most_frames> frames{};
  const int count = ::backtrace(frames.data(), most_frames);
  ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

// What operator new calls until there is memory, or until it throws.
void give_no_memory() {
  static std::atomic_flag told;
  if (!told.test_and_set()) {
    say(worker_lacks_memory);
    say("\n");
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
  report_crashes_of_this_thread();
}

void report_crashes_of_this_thread() {
  static thread_local SignalStack stack;
}

void report_lack_of_memory() {
  std::set_new_handler(give_no_memory);
}

}  // namespace mcph
