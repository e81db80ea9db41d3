#include "runtime/first_process.hpp"

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace mcph {
namespace {

constexpr int of_signal = 128;  // what shells add to its number

int exit_status(int ended) {
  return WIFSIGNALED(ended) ? of_signal + WTERMSIG(ended) : WEXITSTATUS(ended);
}

// Until the program has ended.
void wait_for_all(pid_t program) {
  int ended = 0;
  while (const pid_t child = ::waitpid(-1, &ended, WNOHANG)) {
    if (child == program) std::_Exit(exit_status(ended));
    if (child < 0) return;
  }
}

[[noreturn]] void be_first_process(pid_t program, const sigset_t& signals) {
  for (;;) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal == SIGCHLD) {
      wait_for_all(program);
    } else if (signal > 0) {
      ::kill(program, signal);
    }
  }
}

// The sockets that were handed to the first process are the program's (sd_listen_fds(3)).
void adopt_sockets() {
  const char* const process = std::getenv("LISTEN_PID");
  if (process == nullptr || std::string_view(process) != "1") return;
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
}

}  // namespace

void leave_orphans_to_first_process() {
  if (::getpid() != 1) return;
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t program = ::fork();
  if (program > 0) be_first_process(program, all);
  // Where there can be no other process, the program is the first one.
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (program == 0) adopt_sockets();
}

}  // namespace mcph
