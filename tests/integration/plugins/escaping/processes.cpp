#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attempts.hpp"

namespace escaping {
namespace {

// The other side of a fork leaves at once.
int end_child(long child) {
  if (child == 0) ::_exit(0);
  if (child < 0) return errno;
  ::waitpid(static_cast<pid_t>(child), nullptr, 0);
  return 0;
}

std::array<char*, 2> arguments() {
  static std::string name = "true";
  return {name.data(), nullptr};
}

int spawn(const Aim& aim) {
  pid_t child = 0;
  const int error = ::posix_spawn(&child, aim.path(), nullptr, nullptr, arguments().data(), ::environ);
  return error != 0 ? error : end_child(child);
}

int run_in_shell(const Aim& aim) {
  return ::system(aim.path()) == 0 ? 0 : EPERM;
}

int read_from_command(const Aim& aim) {
  FILE* const output = ::popen(aim.path(), "r");
  if (output == nullptr) return errno;
  ::pclose(output);
  return 0;
}

int execute(const Aim& aim) {
  ::execve(aim.path(), arguments().data(), ::environ);
  return errno;
}

// Empty, so that it would fail otherwise.
int execute_memory_file(const Aim&) {
  const int file = ::memfd_create("code", 0);
  const int error = refusal_of(::syscall(SYS_execveat, file, "", arguments().data(), ::environ, AT_EMPTY_PATH));
  ::close(file);
  return error;
}

int clone_raw(unsigned long flags) {
  return end_child(::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

int clone_three(const Aim&) {
  clone_args wanted{};
  wanted.exit_signal = SIGCHLD;
  return end_child(::syscall(SYS_clone3, &wanted, sizeof wanted));
}

int fork_sharing_memory(const Aim&) {
  const pid_t child = ::vfork();
  if (child == 0) ::_exit(0);
  return end_child(child);
}

int fork_bomb(const Aim&) {
  int begun = 0;
  for (int i = 0; i < 200; ++i)
    begun += end_child(::fork()) == 0 ? 1 : 0;
  return begun == 0 ? EPERM : 0;
}

int queue_signal(const Aim& aim) {
  return error_of(::sigqueue(aim.number(), 0, {}));
}

int queue_signal_to_thread(const Aim& aim) {
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  return error_of(::syscall(SYS_rt_tgsigqueueinfo, aim.number(), aim.number(), SIGWINCH, &info));
}

int signal_by_descriptor(const Aim& aim) {
  const auto process = static_cast<int>(::syscall(SYS_pidfd_open, aim.number(), 0));
  if (process < 0) return errno;
  const int error = error_of(::syscall(SYS_pidfd_send_signal, process, 0, nullptr, 0));
  ::close(process);
  return error;
}

// A folder in /proc serves as a descriptor of the process.
int signal_by_folder(const Aim& aim) {
  const int folder = ::open(("/proc/" + aim.target).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const int readable = ::open(("/proc/" + aim.target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int used = readable >= 0 ? readable : folder;
  const int error = error_of(::syscall(SYS_pidfd_send_signal, used, 0, nullptr, 0));
  ::close(folder);
  ::close(readable);
  return error;
}

int take_descriptor(const Aim& aim) {
  const auto process = static_cast<int>(::syscall(SYS_pidfd_open, aim.number(), 0));
  if (process < 0) return errno;
  const auto taken = ::syscall(SYS_pidfd_getfd, process, 0, 0);
  const int error = error_of(taken);
  ::close(process);
  if (taken >= 0) ::close(static_cast<int>(taken));
  return error;
}

// The kernel then signals the owner when the descriptor can be read.
int own_descriptor(const Aim& aim) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return 0;
  const int error = error_of(::fcntl(ends[0], F_SETOWN, aim.number()));
  ::close(ends[0]);
  ::close(ends[1]);
  return error;
}

int own_descriptor_by_kind(const Aim& aim) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return 0;
  const f_owner_ex owner{F_OWNER_PID, aim.number()};
  const int error = error_of(::fcntl(ends[0], F_SETOWN_EX, &owner));
  ::close(ends[0]);
  ::close(ends[1]);
  return error;
}

int own_socket(const Aim& aim) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return 0;
  const int owner = aim.number();
  const int error = error_of(::ioctl(ends[0], FIOSETOWN, &owner));
  ::close(ends[0]);
  ::close(ends[1]);
  return error;
}

int trace(const Aim& aim) {
  const long traced = ::ptrace(PTRACE_SEIZE, aim.number(), nullptr, nullptr);
  return error_of(traced);
}

int copy_memory(const Aim& aim, long call) {
  char byte = 0;
  const iovec here{&byte, 1};
  const iovec there{nullptr, 1};
  return refusal_of(::syscall(call, aim.number(), &here, 1, &there, 1, 0));
}

int limit_process(const Aim& aim) {
  rlimit limits{};
  if (::prlimit(aim.number(), RLIMIT_NOFILE, nullptr, &limits) != 0) return errno;
  return error_of(::prlimit(aim.number(), RLIMIT_NOFILE, &limits, nullptr));
}

int place_process(const Aim& aim) {
  cpu_set_t processors;
  if (::sched_getaffinity(0, sizeof processors, &processors) != 0) return 0;
  return error_of(::sched_setaffinity(aim.number(), sizeof processors, &processors));
}

int schedule_process(const Aim& aim) {
  const sched_param parameters{};
  return error_of(::sched_setscheduler(aim.number(), SCHED_OTHER, &parameters));
}

}  // namespace

Attempts on_processes() {
  return {
      {"fork", [](const Aim&) { return end_child(::fork()); }},
      {"fork by the system call", [](const Aim&) { return end_child(::syscall(SYS_fork)); }},
      {"vfork", fork_sharing_memory},
      {"clone", [](const Aim&) { return clone_raw(0); }},
      {"clone into a namespace", [](const Aim&) { return clone_raw(CLONE_NEWUSER); }},
      {"clone a sibling", [](const Aim&) { return clone_raw(CLONE_PARENT); }},
      {"clone3", clone_three},
      {"posix_spawn", spawn},
      {"system", run_in_shell},
      {"popen", read_from_command},
      {"execve", execute},
      {"execute a memory file", execute_memory_file},
      {"fork bomb", fork_bomb},
      {"signal", [](const Aim& aim) { return error_of(::kill(aim.number(), std::stoi(aim.other))); }},
      {"signal a thread",
       [](const Aim& aim) { return error_of(::syscall(SYS_tgkill, aim.number(), aim.number(), 0)); }},
      {"signal a task", [](const Aim& aim) { return error_of(::syscall(SYS_tkill, aim.number(), 0)); }},
      {"queue a signal", queue_signal},
      {"queue a signal to a thread", queue_signal_to_thread},
      {"signal by a descriptor", signal_by_descriptor},
      {"signal by a folder", signal_by_folder},
      {"take a descriptor", take_descriptor},
      {"make it the owner of a pipe", own_descriptor},
      {"make it the owner of a pipe by its kind", own_descriptor_by_kind},
      {"make it the owner of a socket", own_socket},
      {"trace", trace},
      {"be traced", [](const Aim&) { return error_of(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr)); }},
      {"read memory", [](const Aim& aim) { return copy_memory(aim, SYS_process_vm_readv); }},
      {"write memory", [](const Aim& aim) { return copy_memory(aim, SYS_process_vm_writev); }},
      {"compare", [](const Aim& aim) { return error_of(::syscall(SYS_kcmp, ::getpid(), aim.number(), 0, 0, 0)); }},
      {"move pages", [](const Aim& aim) { return error_of(::syscall(SYS_move_pages, aim.number(), 0, 0, 0, 0, 0)); }},
      {"limit", limit_process},
      {"slow down", [](const Aim& aim) { return error_of(::setpriority(PRIO_PROCESS, aim.number(), 0)); }},
      {"place", place_process},
      {"schedule", schedule_process},
      {"leave the group", [](const Aim&) { return refusal_of(::setpgid(0, 0)); }},
      {"leave the session", [](const Aim&) { return refusal_of(::setsid()); }},
      {"outlive the host", [](const Aim&) { return error_of(::prctl(PR_SET_PDEATHSIG, SIGKILL)); }},
  };
}

}  // namespace escaping
