// A plugin that dies in every way that native code can, or does not come back.
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <mcp/plugin.hpp>

namespace {

// A sanitizer would see it before it is done.
[[gnu::no_sanitize("undefined")]] void write_to_nowhere() {
  volatile int* const nowhere = nullptr;
  *nowhere = 1;
}

[[gnu::no_sanitize("undefined")]] void divide_by_zero() {
  volatile int some = 7;
  volatile int zero = 0;
  some = some / zero;
}

// Nothing is mapped there, wherever the kernel chooses the places, nor by a sanitizer for itself.
[[gnu::no_sanitize("undefined")]] void read_from_anywhere() {
  const volatile int* const anywhere = reinterpret_cast<const int*>(std::uintptr_t{0x456789123000});
  [[maybe_unused]] const int read = *anywhere;
}

// Each frame is needed after the next one, so that no compiler makes a loop of it; in practice it does not end.
// NOLINTNEXTLINE(misc-no-recursion): that is the point
std::size_t overflow(std::size_t depth) {
  volatile char frame[4096];
  frame[depth % sizeof frame] = 'x';
  return depth == 0 ? 0 : overflow(depth - 1) + static_cast<std::size_t>(frame[0]);
}

void run_out_of_memory() {
  constexpr std::size_t piece = std::size_t{16} << 20;
  const rlimit little{std::size_t{512} << 20, std::size_t{512} << 20};
  ::setrlimit(RLIMIT_AS, &little);
  static std::vector<char*> kept;
  for (;;) {
    auto* const memory = static_cast<char*>(std::malloc(piece));
    if (memory == nullptr) std::abort();
    memory[0] = 'x';
    kept.push_back(memory);
  }
}

void throw_on_a_thread() {
  std::thread([] { throw std::runtime_error("on a thread of the plugin's own"); }).join();
}

const std::map<std::string, std::function<void()>>& ways_to_die() {
  static const std::map<std::string, std::function<void()>> ways{
      {"segmentation fault", write_to_nowhere},
      {"division by zero", divide_by_zero},
      {"wild pointer", read_from_anywhere},
      {"abort", [] { std::abort(); }},
      {"exit", [] { std::exit(3); }},
      {"quick exit", [] { ::_exit(0); }},
      {"real-time signal", [] { ::kill(::getpid(), SIGRTMIN); }},
      {"kill", [] { ::kill(::getpid(), SIGKILL); }},
      {"stack overflow", [] { overflow(std::size_t{1} << 40); }},
      {"out of memory", run_out_of_memory},
      {"exception on a thread", throw_on_a_thread},
      {"close every descriptor",
       [] {
         for (int descriptor = 0; descriptor < 64; ++descriptor)
           ::close(descriptor);
         std::this_thread::sleep_for(std::chrono::hours(1));
       }},
      {"leave a child",
       [] {
         if (::fork() == 0) ::pause();
         std::abort();
       }},
      {"endless loop",
       [] {
         for (volatile bool on = true; on;) {
         }
       }},
  };
  return ways;
}

// A process whose parent, group and session are others than this one's: its number.
int start_daemon(bool is_another_program) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const auto child = ::fork();
  if (child == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    const auto self = ::getpid();
    [[maybe_unused]] const auto written = ::write(ends[1], &self, sizeof self);
    if (is_another_program) {
      char* const environment[] = {nullptr};
      ::execle("/bin/sleep", "sleep", "1000", nullptr, environment);
    }
    for (;;)
      ::pause();
  }
  ::waitpid(child, nullptr, 0);
  int process = 0;
  const auto count = ::read(ends[0], &process, sizeof process);
  ::close(ends[0]);
  ::close(ends[1]);
  if (count != sizeof process) throw std::runtime_error("no daemon");
  return process;
}

std::string die(const std::string& how) {
  ways_to_die().at(how)();
  return "alive";
}

// In a child of this process, and says what its parent hears of it.
std::string die_in_a_child(const std::string& how) {
  const auto child = ::fork();
  if (child == 0) die(how);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "status " + std::to_string(WEXITSTATUS(status));
}

void setup(mcp::Plugin& plugin) {
  plugin.tool("die", "Dies.", die, mcp::arg("how", "The way"));
  plugin.tool("die_in_a_child", "Has a child that dies.", die_in_a_child, mcp::arg("how", "The way"));
  plugin.tool(
      "say", "Says much.", [](std::size_t bytes) { return std::string(bytes, 'x'); }, mcp::arg("bytes", "How much"));
  plugin.tool("close_output", "Closes standard output and error.", [] {
    ::close(STDOUT_FILENO);
    ::close(STDERR_FILENO);
    return "closed";
  });
  plugin.tool(
      "print", "Prints lines to standard output, and flushes nothing.",
      [](int lines) {
        for (int i = 0; i < lines; ++i)
          std::printf("line %d\n", i);
        return "printed";
      },
      mcp::arg("lines", "How many"));
  plugin.tool("start_process", "Starts a process and a thread.", [] {
    std::string said;
    std::thread([&said] { said = "a thread"; }).join();
    const auto child = ::fork();
    if (child == 0) ::_exit(0);
    return said + (child < 0 ? " and no process: " + std::string(std::strerror(errno)) : " and a process");
  });
  plugin.tool("start_daemon", "Starts a process that leaves this one behind.", start_daemon,
              mcp::arg("other_program", "Whether it is another program, with an empty environment"));
  plugin.tool("pid", "Says which process this is.", [] { return static_cast<int>(::getpid()); });
  plugin.tool(
      "sleep", "Sleeps.",
      [](int milliseconds) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        return "slept";
      },
      mcp::arg("milliseconds", "For how long"));
}

}  // namespace

MCP_PLUGIN("dying", "1.0.0", setup)
