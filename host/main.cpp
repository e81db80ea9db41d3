#include <csignal>
#include <exception>
#include <iostream>
#include <malloc.h>
#include <sys/resource.h>
#include <variant>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "runtime/first_process.hpp"

namespace {

// Each connection takes a descriptor and each worker three; the soft limit is often 1024, for programs that use
// select(2).
void use_all_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Keeps memory that has been freed from staying with the thread that needed it, so that a host does not grow with each
// meeting of threads that have not met before.
void share_freed_memory() {
#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD) && defined(M_ARENA_MAX)
  // What is larger than messages usually are goes back to the system at once. Unless told so, malloc takes the largest
  // buffer that was ever freed for an ordinary one, and each arena keeps room for it.
  constexpr int large = 4 * 1024 * 1024;
  ::mallopt(M_MMAP_THRESHOLD, large);
  // What an arena keeps at its end: a call with a message of 1 MiB takes a few of that size, and to have each page of
  // them anew from the system takes longer than all else that is done with it.
  constexpr int kept = 8 * 1024 * 1024;
  ::mallopt(M_TRIM_THRESHOLD, kept);
  // As many as there are event loops at most, and in use from the start; malloc would add arenas to eight for each
  // processor.
  constexpr int arenas = 4;
  ::mallopt(M_ARENA_MAX, arenas);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int cannot_run = 2;
  // Whoever started this may ignore it, and then nobody could learn how a worker has ended.
  std::signal(SIGCHLD, SIG_DFL);
  mcph::leave_orphans_to_first_process();
  share_freed_memory();
  use_all_descriptors();
  try {
    return std::visit([](const auto& command) { return mcph::run(command); }, mcph::parse_command_line(argc, argv));
  } catch (const std::exception& error) {
    // What nobody could do anything about: no threads, memory or descriptors are left.
    std::cerr << "mcp-plugin-host: " << error.what() << "\n";
    return cannot_run;
  }
}
