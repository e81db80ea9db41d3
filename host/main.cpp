#include <csignal>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/program.hpp"
#include "runtime/first_process.hpp"
#include "runtime/freed_memory.hpp"

namespace {

// Each connection takes a descriptor and each worker three; the soft limit is often 1024, for programs that use
// select(2).
void use_all_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// A descriptor that the caller closed would be given to the next file or socket opened, and what is printed would go
// there. To standard output nothing can be written then, which is told as of one that is full.
void fill_closed_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) [[maybe_unused]]
      const int filled = ::open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int cannot_run = 2;
  fill_closed_descriptors();
  // Whoever started this may ignore it, and then nobody could learn how a worker has ended.
  std::signal(SIGCHLD, SIG_DFL);
  mcph::leave_orphans_to_first_process();
  mcph::bound_freed_memory();
  use_all_descriptors();
  try {
    return mcph::run_program(argc, argv);
  } catch (const std::exception& error) {
    // What nobody could do anything about: no threads, memory or descriptors are left.
    std::cerr << "mcp-plugin-host: " << error.what() << "\n";
    return cannot_run;
  }
}
