#include "worker/fork_server.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "plugin/isolated/fork_server.hpp"
#include "plugin/isolated/worker_process.hpp"

namespace mcph {
namespace {

// A child of this one's parent, which waits for it as for those that it has started itself. The C library has no
// function for that, and so does not learn that the thread which goes on in the child has another number: nothing but
// what asks the system may ask for this thread's (main.cpp).
int fork_sibling() {
  return static_cast<int>(::syscall(SYS_clone, CLONE_PARENT, 0, 0, 0, 0));
}

// What posix_spawn does for one that is started as a program (SpawnSettings).
void become_worker(ForkRequest request, std::span<char> name) {
  ::setpgid(0, 0);
  ::dup2(request.output.get(), STDOUT_FILENO);
  ::dup2(request.output.get(), STDERR_FILENO);
  ::dup2(request.socket.get(), WorkerProcess::socket_number);
  const auto rest = std::ranges::copy(request.plugin.substr(0, name.size()), name.begin()).out;
  std::fill(rest, name.end(), '\0');
}

}  // namespace

void fork_workers(int socket, std::span<char> name) {
  while (auto request = receive_fork_request(socket)) {
    const int process = fork_sibling();
    if (process == 0) return become_worker(*std::move(request), name);
    const auto answer = process < 0 ? ForkAnswer{0, errno} : ForkAnswer{process, 0};
    if (!send_fork_answer(socket, answer)) break;
  }
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace mcph
