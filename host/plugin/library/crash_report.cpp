#include "plugin/library/crash_report.hpp"

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

#include "plugin/library/plugin_code.hpp"
#include "plugin/library/private_folder.hpp"
#include "telemetry/last_words.hpp"

namespace mcph {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
constexpr int max_frames = 64;
// At which other runtimes, such as Java's, tell of their threads, too.
constexpr int place_signal = SIGQUIT;

// Of a worker; null in a host.
TellCrashNews tell_news = nullptr;

// A line that is made without memory. What does not fit is cut off.
class Line {
 public:
  Line& text(std::string_view text) {
    const auto size = std::min(text.size(), bytes_.size() - size_);
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
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  static constexpr std::size_t max_bytes = 1024;

  std::array<char, max_bytes> bytes_{};
  std::size_t size_ = 0;
};

// Of a library that lies in the host's private folder as STEM.NUMBER.DIGEST.so, the stem; else empty.
std::string_view stem_of_copy(std::string_view path) {
  const auto cut = [&path](char separator) {
    const auto end = std::min(path.rfind(separator), path.size());
    const auto last = path.substr(std::min(end + 1, path.size()));
    path = path.substr(0, end);
    return last;
  };
  auto stem = cut('/');
  if (!cut('/').starts_with(PrivateFolder::prefix)) return {};
  for (int part = 0; part < 3; ++part)
    stem = stem.substr(0, stem.rfind('.'));
  return stem;
}

// FILE+OFFSET, as addr2line takes it, and the function if the file names it. A worker's host knows what its copies are.
enum class Copies { by_path, by_plugin };
void add_frame(Line& line, const char* address, Copies copies) {
  Dl_info place{};
  if (::dladdr(address, &place) == 0) {
    line.number(std::bit_cast<std::uintptr_t>(address));
    return;
  }
  const auto offset = address - static_cast<const char*>(place.dli_fbase);
  const auto stem = copies == Copies::by_plugin ? stem_of_copy(place.dli_fname) : std::string_view();
  stem.empty() ? line.text(place.dli_fname) : line.text(stem).text(".so");
  line.text("+").number(static_cast<std::uintptr_t>(offset));
  if (place.dli_sname != nullptr) line.text(" ").text(place.dli_sname);
}

// The instruction that a signal interrupted; null where there was none, or this does not know the processor.
void* interrupted(const void* context) {
  if (context == nullptr) return nullptr;
#if defined(__x86_64__)
  return std::bit_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return std::bit_cast<void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

// Where the stack of the interrupted code ends; 0 where there was none, or this does not know the processor.
std::uintptr_t stack_end(const void* context) {
  if (context == nullptr) return 0;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return static_cast<std::uintptr_t>(static_cast<const ucontext_t*>(context)->uc_mcontext.sp);
#else
  return 0;
#endif
}

// What the processor could not do, as words that follow the name of the signal; nothing of a signal that was sent.
void add_fault(Line& line, int signal, const siginfo_t& info, const void* context) {
  if (info.si_code <= 0) return;
  if (signal == SIGFPE && info.si_code == FPE_INTDIV) line.text(", because it divided by zero");
  if (signal != SIGSEGV && signal != SIGBUS) return;
  if (info.si_code == SI_KERNEL) {
    line.text(" at an address that no memory has");
    return;
  }
  constexpr std::uintptr_t max_offset = std::uintptr_t{64} << 10;  // of a member of an object, or of a frame
  const auto address = std::bit_cast<std::uintptr_t>(info.si_addr);
  const auto stack = stack_end(context);
  if (stack != 0 && address + max_offset >= stack && address < stack + max_offset) {
    line.text(", because its stack overflowed");
  } else if (address < max_offset) {
    line.text(" through a null pointer");
  } else {
    line.text(" at the address ").number(address);
  }
}

// Without those of the report itself, where it can be seen which they are.
template <class Take>
void for_each_frame(const void* context, Take&& take) {
  std::array<void*, max_frames> frames{};
  auto* const end = frames.begin() + ::backtrace(frames.data(), max_frames);
  auto* const place = interrupted(context);
  auto* const first = std::find(frames.begin(), end, place);
  // Known even where the stack ends before it: in the listener of a language, such as Go's, that has handed this on.
  if (place != nullptr) take(static_cast<const char*>(place));
  // All others are where a call returns to, which may be another line already.
  for (auto* frame = first != end ? first + 1 : frames.begin(); frame != end; ++frame)
    take(static_cast<const char*>(*frame) - 1);
}

void tell_frames(const void* context) {
  for_each_frame(context, [](const char* address) {
    Line line;
    add_frame(line, address, Copies::by_path);
    tell_news(CrashNews::stack_line, line.view());
  });
}

// As nothing had listened for it.
void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Looking at the stack may take a lock that this thread holds.
void bound_time() {
  constexpr unsigned patience_s = 2;
  ::alarm(patience_s);
}

std::string_view short_name_of(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name == nullptr ? "?" : name;
}

// Whose crash is told. What a plugin has forked has this process's listeners, and its end is its own affair.
pid_t watched_process = 0;

void report(int signal, siginfo_t* info, void* context) {
  if (::getpid() != watched_process) return die_of(signal);
  bound_time();
  Line what;
  what.text(short_name_of(signal));
  add_fault(what, signal, *info, context);
  tell_news(CrashNews::crashed, what.view());
  tell_frames(context);
  die_of(signal);
}

// Of a host; null elsewhere.
std::atomic<const LastWords*> last_words{nullptr};
// What listened before, such as a sanitizer.
std::array<struct ::sigaction, crashes.size()> earlier_listeners{};

constexpr std::string_view next_for_culprit = "in a worker it would end nothing but its own calls";

// Whose code has crashed, and which part of it.
struct Culprit {
  std::string_view plugin = {};  // empty: the host's own
  std::string_view file = {};
  std::string_view part = {};
};

// A thread of the plugin's own is known by the library that it runs.
Culprit find_culprit(const void* context) {
  if (const auto* code = PluginCode::current()) {
    if (code->plugin() == nullptr) return {};
    return {code->plugin()->name, code->plugin()->file.native(), code->part()};
  }
  Culprit culprit;
  for_each_frame(context, [&](const char* address) {
    Dl_info place{};
    if (!culprit.plugin.empty() || ::dladdr(address, &place) == 0) return;
    const auto stem = stem_of_copy(place.dli_fname);
    if (!stem.empty()) culprit = {stem, place.dli_fname, "a thread of its own"};
  });
  return culprit;
}

void hand_on(int signal, siginfo_t* info, void* context) {
  ::alarm(0);
  const auto* const place = std::find(crashes.begin(), crashes.end(), signal);
  const auto& earlier = earlier_listeners.at(static_cast<std::size_t>(place - crashes.begin()));
  if ((earlier.sa_flags & SA_SIGINFO) != 0) {
    earlier.sa_sigaction(signal, info, context);
  } else if (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN) {
    earlier.sa_handler(signal);
  }
  die_of(signal);
}

void report_to_log(int signal, siginfo_t* info, void* context) {
  if (::getpid() != watched_process) return hand_on(signal, info, context);
  bound_time();
  const auto& log = *last_words.load();
  const char* const description = ::sigdescr_np(signal);
  Line what;
  what.text("it ends the host by SIG").text(short_name_of(signal));
  what.text(" (").text(description == nullptr ? "" : description).text(")");
  add_fault(what, signal, *info, context);
  const auto culprit = find_culprit(context);
  const bool is_own = culprit.plugin.empty();
  if (is_own) {
    log.write("host crashed", {{"what", what.view()}});
  } else {
    log.write("plugin crashed", {{"file", culprit.file},
                                 {"plugin", culprit.plugin},
                                 {"what", what.view()},
                                 {"running", culprit.part},
                                 {"next", next_for_culprit}});
  }
  for_each_frame(context, [&](const char* address) {
    Line frame;
    add_frame(frame, address, Copies::by_plugin);
    is_own ? log.write("host backtrace", {{"text", frame.view()}})
           : log.write("plugin backtrace", {{"plugin", culprit.plugin}, {"text", frame.view()}});
  });
  hand_on(signal, info, context);
}

// Where no plugin's code calls exit, a host's main has returned.
void report_exit_to_log() {
  if (::getpid() != watched_process) return;
  const auto culprit = find_culprit(nullptr);
  if (culprit.plugin.empty()) return;
  last_words.load()->write("plugin crashed", {{"file", culprit.file},
                                              {"plugin", culprit.plugin},
                                              {"what", "it ends the host by calling exit"},
                                              {"running", culprit.part},
                                              {"next", next_for_culprit}});
  std::_Exit(EXIT_FAILURE);  // whatever the plugin has told it to be
}

// The same in a worker, whose host is told where the thread was: it may be a library that calls exit.
void report_exit() {
  if (::getpid() != watched_process || find_culprit(nullptr).plugin.empty()) return;
  bound_time();
  tell_news(CrashNews::place_follows, {});
  tell_frames(nullptr);
  ::alarm(0);
}

std::atomic<unsigned> places_asked{0};
std::atomic<unsigned> places_told{0};

void report_place(int signal, siginfo_t* /*info*/, void* context) {
  if (::getpid() != watched_process) return die_of(signal);
  const int error = errno;
  tell_news(CrashNews::place_follows, {});
  tell_frames(context);
  ++places_told;
  errno = error;
}

// What operator new calls until there is memory, or until it throws.
void give_no_memory() {
  static std::atomic_flag told;
  if (::getpid() == watched_process && !told.test_and_set()) tell_news(CrashNews::lacks_memory, {});
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

// Of the threads that begin from now on. A function that has more on its stack than the guard is long may step over it,
// into what belongs to others, so that something else crashes, later. A page is little.
void lengthen_stack_guards() {
#if defined(__GLIBC__)
  constexpr std::size_t guard_bytes = std::size_t{64} << 10;
  pthread_attr_t attributes;
  if (::pthread_getattr_default_np(&attributes) != 0) return;
  ::pthread_attr_setguardsize(&attributes, guard_bytes);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
#endif
}

void listen_for_crashes(void (*handler)(int, siginfo_t*, void*)) {
  watched_process = ::getpid();
  lengthen_stack_guards();
  prepare_crash_reports();
  struct ::sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO;
  for (std::size_t i = 0; i < crashes.size(); ++i)
    ::sigaction(crashes.at(i), &action, &earlier_listeners.at(i));
}

}  // namespace

void prepare_crash_reports() {
  [[maybe_unused]] static const bool is_prepared = [] {
    std::array<void*, 1> frame{};
    return ::backtrace(frame.data(), 1) > 0;
  }();
}

void report_crashes(TellCrashNews tell) {
  tell_news = tell;
  listen_for_crashes(report);
  struct ::sigaction action {};
  action.sa_sigaction = report_place;
  action.sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART;
  ::sigaction(place_signal, &action, nullptr);
  std::atexit(report_exit);
  report_crashes_of_this_thread();
}

void report_crashes_to_log(StderrLog::Format format) {
  static const LastWords words(format);
  if (last_words.exchange(&words) != nullptr) return;
  listen_for_crashes(report_to_log);
  std::atexit(report_exit_to_log);
}

void report_crashes_of_this_thread() {
  static thread_local SignalStack stack;
}

void report_place_of(pthread_t thread) {
  constexpr std::chrono::milliseconds patience{800};
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
