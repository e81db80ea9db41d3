#include <csignal>
#include <exception>
#include <iostream>
#include <malloc.h>
#include <sys/resource.h>
#include <variant>

#include "cli/commands.hpp"
#include "cli/options.hpp"

namespace {

// Each connection takes a descriptor and each worker three; the soft limit is often 1024, for programs that use
// select(2).
void use_all_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Lets what is large go back to the system when it is freed. Otherwise malloc takes the largest buffer that was ever
// freed for an ordinary one, and each thread's arena keeps room for it, so that a host grows with every thread that
// happens to need one.
void return_large_buffers() {
#ifdef M_MMAP_THRESHOLD
  constexpr int large = 128 * 1024;  // what malloc begins with
  ::mallopt(M_MMAP_THRESHOLD, large);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int cannot_run = 2;
  return_large_buffers();
  // Whoever started this may ignore it, and then nobody could learn how a worker has ended.
  std::signal(SIGCHLD, SIG_DFL);
  use_all_descriptors();
  try {
    return std::visit([](const auto& command) { return mcph::run(command); }, mcph::parse_command_line(argc, argv));
  } catch (const std::exception& error) {
    // What nobody could do anything about: no threads, memory or descriptors are left.
    std::cerr << "mcp-plugin-host: " << error.what() << "\n";
    return cannot_run;
  }
}
