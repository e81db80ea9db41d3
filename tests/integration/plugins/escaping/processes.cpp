#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <pthread.h>
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

int schedule_by_parameter(const Aim& aim) {
  const sched_param parameters{};
  return error_of(::sched_setparam(aim.number(), &parameters));
}

// The first of what sched_setattr(2) describes.
struct SchedulingAttributes {
  std::uint32_t size = 48;
  std::uint32_t policy = SCHED_OTHER;
  std::array<std::uint64_t, 5> others{};
};

int schedule_by_attributes(const Aim& aim) {
  SchedulingAttributes attributes;
  return error_of(::syscall(SYS_sched_setattr, aim.number(), &attributes, 0));
}

int read_attributes(const Aim& aim) {
  SchedulingAttributes attributes;
  return error_of(::syscall(SYS_sched_getattr, aim.number(), &attributes, sizeof attributes, 0));
}

int read_parameter(const Aim& aim) {
  sched_param parameters{};
  return error_of(::sched_getparam(aim.number(), &parameters));
}

int read_interval(const Aim& aim) {
  timespec interval{};
  return error_of(::sched_rr_get_interval(aim.number(), &interval));
}

// To what it is.
int slow_group_down(const Aim& aim) {
  const auto group = static_cast<id_t>(::getpgid(aim.number()));
  return error_of(::setpriority(PRIO_PGRP, group, ::getpriority(PRIO_PGRP, group)));
}

constexpr int io_of_process = 1;
constexpr int io_of_group = 2;
constexpr int io_of_user = 3;

int slow_io_down(int whose, int number) {
  return error_of(::syscall(SYS_ioprio_set, whose, number, ::syscall(SYS_ioprio_get, whose, number)));
}

int share_core(const Aim& aim) {
  constexpr int core_scheduling = 62;
  constexpr int share_to = 2;
  return error_of(::prctl(core_scheduling, share_to, aim.number(), 0, 0));
}

clockid_t clock_of(const Aim& aim) {
  // As clock_getcpuclockid makes it, which asks the system then whether there is one.
  constexpr unsigned of_both_modes = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(aim.number()) << 3U | of_both_modes);
}

int read_clock(const Aim& aim) {
  timespec time{};
  return error_of(::clock_gettime(clock_of(aim), &time));
}

int read_own_thread_clock(const Aim&) {
  clockid_t clock{};
  timespec time{};
  if (const int error = ::pthread_getcpuclockid(::pthread_self(), &clock); error != 0) return error;
  return error_of(::clock_gettime(clock, &time));
}

int time_by_clock(const Aim& aim) {
  timer_t timer{};
  const int error = error_of(::syscall(SYS_timer_create, clock_of(aim), nullptr, &timer));
  if (error == 0) ::syscall(SYS_timer_delete, timer);
  return error;
}

int signal_by_timer(const Aim& aim) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGWINCH;
  event._sigev_un._tid = aim.number();
  int timer = 0;
  return error_of(::syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer));
}

int read_capabilities(const Aim& aim) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = aim.number()};
  std::array<__user_cap_data_struct, 2> capabilities{};
  return error_of(::syscall(SYS_capget, &header, capabilities.data()));
}

int find_robust_list(const Aim& aim) {
  void* head = nullptr;
  std::size_t size = 0;
  return error_of(::syscall(SYS_get_robust_list, aim.number(), &head, &size));
}

int migrate_pages(const Aim& aim) {
  const unsigned long nodes = 1;
  return error_of(::syscall(SYS_migrate_pages, aim.number(), 2, &nodes, &nodes));
}

int advise_by_descriptor(const Aim& aim, long call) {
  const auto process = static_cast<int>(::syscall(SYS_pidfd_open, aim.number(), 0));
  if (process < 0) return errno;
  constexpr int cold = 20;
  const iovec piece{nullptr, 0};
  const int error = call == SYS_process_madvise ? refusal_of(::syscall(call, process, &piece, 1, cold, 0))
                                                : refusal_of(::syscall(call, process, 0));
  ::close(process);
  return error;
}

int take_terminal(const Aim&) {
  const int terminal = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return errno;
  const int error = error_of(::tcsetpgrp(terminal, ::getpgrp()));
  ::close(terminal);
  return error;
}

int wait_for(const Aim& aim) {
  siginfo_t info{};
  return error_of(::waitid(P_PID, static_cast<id_t>(aim.number()), &info, WEXITED | WNOHANG));
}

// Through what becomes readable: the kernel sends the signal.
int signal_by_pipe(const Aim& aim) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  const bool owned = ::fcntl(ends[0], F_SETOWN, aim.number()) == 0 &&
                     ::fcntl(ends[0], F_SETSIG, std::stoi(aim.other)) == 0 &&
                     ::fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
  const int error = owned ? error_of(::write(ends[1], "x", 1)) : errno;
  ::close(ends[0]);
  ::close(ends[1]);
  return error;
}

// What it may do with its own number instead of 0.
int set_itself(const Aim&) {
  const Aim self{std::to_string(::getpid()), {}};
  for (const auto& set : {Attempt(limit_process), Attempt(place_process)}) {
    if (const int error = set(self); error != 0) return error;
  }
  return 0;
}

int schedule_itself(const Aim&) {
  for (const pid_t number : {0, ::getpid()}) {
    const Aim self{std::to_string(number), {}};
    for (const auto& set : {Attempt(limit_process), Attempt(place_process), Attempt(schedule_process),
                            Attempt(schedule_by_parameter), Attempt(schedule_by_attributes)}) {
      if (const int error = set(self); error != 0) return error;
    }
    if (::setpriority(PRIO_PROCESS, static_cast<id_t>(number), ::getpriority(PRIO_PROCESS, 0)) != 0) return errno;
    if (const int error = slow_io_down(io_of_process, number); error != 0) return error;
  }
  return 0;
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
      {"schedule by its parameter", schedule_by_parameter},
      {"schedule by its attributes", schedule_by_attributes},
      {"slow its group down", slow_group_down},
      {"slow its user down", [](const Aim&) { return error_of(::setpriority(PRIO_USER, ::getuid(), 0)); }},
      {"slow its disk down", [](const Aim& aim) { return slow_io_down(io_of_process, aim.number()); }},
      {"slow the disk of its group down",
       [](const Aim& aim) { return slow_io_down(io_of_group, ::getpgid(aim.number())); }},
      {"slow the disk of its user down",
       [](const Aim&) { return slow_io_down(io_of_user, static_cast<int>(::getuid())); }},
      {"share its core", share_core},
      {"read its priority",
       [](const Aim& aim) { return error_of(::syscall(SYS_getpriority, PRIO_PROCESS, aim.number())); }},
      {"read its priority at the disk",
       [](const Aim& aim) { return error_of(::syscall(SYS_ioprio_get, io_of_process, aim.number())); }},
      {"read its scheduling", [](const Aim& aim) { return error_of(::sched_getscheduler(aim.number())); }},
      {"read its parameter", read_parameter},
      {"read its attributes", read_attributes},
      {"read its interval", read_interval},
      {"read its group", [](const Aim& aim) { return error_of(::getpgid(aim.number())); }},
      {"read its session", [](const Aim& aim) { return error_of(::getsid(aim.number())); }},
      {"read its processor time", read_clock},
      {"read own processor time",
       [](const Aim&) {
         return read_clock({std::to_string(::getpid()), {}});
       }},
      {"read processor time of an own thread", read_own_thread_clock},
      {"read its capabilities", read_capabilities},
      {"find its locks", find_robust_list},
      {"migrate its pages", migrate_pages},
      {"advise its memory", [](const Aim& aim) { return advise_by_descriptor(aim, SYS_process_madvise); }},
      {"release its memory", [](const Aim& aim) { return advise_by_descriptor(aim, SYS_process_mrelease); }},
      {"time by its clock", time_by_clock},
      {"signal by a timer", signal_by_timer},
      {"signal by a pipe", signal_by_pipe},
      {"move into a group", [](const Aim& aim) { return error_of(::setpgid(aim.number(), 0)); }},
      {"join its group", [](const Aim& aim) { return error_of(::setpgid(0, ::getpgid(aim.number()))); }},
      {"take the terminal", take_terminal},
      {"wait for", wait_for},
      {"let it trace", [](const Aim& aim) { return error_of(::prctl(PR_SET_PTRACER, aim.number())); }},
      {"limit and place itself", set_itself},
      {"schedule itself", schedule_itself},
      {"leave the group", [](const Aim&) { return refusal_of(::setpgid(0, 0)); }},
      {"leave the session", [](const Aim&) { return refusal_of(::setsid()); }},
      {"outlive the host", [](const Aim&) { return error_of(::prctl(PR_SET_PDEATHSIG, SIGKILL)); }},
  };
}

}  // namespace escaping
