#include "worker/fork_server.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <linux/sched.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "plugin/isolated/fork_server.hpp"
#include "plugin/isolated/worker_process.hpp"

namespace mcph {
namespace {

// What the kernel and the C library know of a thread, of which a child's only thread must have its own.
struct ThreadRecords {
  pid_t* number = nullptr;         // in the C library
  void* robust_mutexes = nullptr;  // of those that it holds (set_robust_list(2))
  std::size_t robust_size = 0;
};

// Nothing: this C library, or this kernel, has them in another way.
std::optional<ThreadRecords> records_of_this_thread() {
  ThreadRecords found;
  // Where the kernel clears the number at the thread's end is where the C library keeps it.
  if (::prctl(PR_GET_TID_ADDRESS, &found.number) != 0 || found.number == nullptr || *found.number != ::gettid())
    return std::nullopt;
  if (::syscall(SYS_get_robust_list, 0, &found.robust_mutexes, &found.robust_size) != 0) return std::nullopt;
  return found;
}

// A child of this one's parent, which waits for it as for those that it has started itself; 0 in the child. The C
// library has no function for that, and so here is done what its fork(3) does for a process of one thread.
int fork_sibling(const ThreadRecords& records) {
  constexpr auto flags = CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
  // Systems differ in which of the last two is where the number goes; the other one is not looked at.
  const auto process = static_cast<int>(::syscall(SYS_clone, flags, 0, 0, records.number, records.number));
  if (process == 0) ::syscall(SYS_set_robust_list, records.robust_mutexes, records.robust_size);
  return process;
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
  const auto records = records_of_this_thread();
  if (!records) std::_Exit(EXIT_FAILURE);  // workers are programs of their own then
  while (auto request = receive_fork_request(socket)) {
    const int process = fork_sibling(*records);
    if (process == 0) return become_worker(*std::move(request), name);
    if (!send_fork_answer(socket, std::max(process, 0))) break;
  }
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace mcph
