#include <array>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/io.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <unistd.h>

#include "attempts.hpp"

namespace escaping {
namespace {

// With arguments that no call can do anything with.
Attempt senseless(long number) {
  return [number](const Aim&) { return refusal_of(::syscall(number, -1L, -1L, -1L, -1L, -1L, -1L)); };
}

int regain_capabilities(const Aim&) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  constexpr auto all = ~0U;
  const std::array<__user_cap_data_struct, 2> wanted{{{all, all, 0}, {all, all, 0}}};
  return error_of(::syscall(SYS_capset, &header, wanted.data()));
}

int unshare(int what) {
  // Of a thread among several it fails for another reason.
  return refusal_of(::unshare(what));
}

int share_memory(const Aim&) {
  const int memory = ::shmget(IPC_PRIVATE, 4096, 0600);
  if (memory < 0) return errno;
  ::shmctl(memory, IPC_RMID, nullptr);
  return 0;
}

int share_messages(const Aim&) {
  const int queue = ::msgget(IPC_PRIVATE, 0600);
  if (queue < 0) return errno;
  ::msgctl(queue, IPC_RMID, nullptr);
  return 0;
}

int share_semaphore(const Aim&) {
  const int semaphore = ::semget(IPC_PRIVATE, 1, 0600);
  if (semaphore < 0) return errno;
  ::semctl(semaphore, 0, IPC_RMID);
  return 0;
}

int open_queue(const Aim& aim) {
  const auto queue = ::mq_open(aim.path(), O_RDWR | O_CREAT, 0600, nullptr);
  if (queue < 0) return errno;
  ::mq_close(queue);
  ::mq_unlink(aim.path());
  return 0;
}

// On the same machine, the calls of 32-bit programs have other numbers: 20 is getpid.
int call_as_32_bits(const Aim&) {
#if defined(__x86_64__)
  long result = 20;
  asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return result < 0 ? static_cast<int>(-result) : 0;
#else
  return EPERM;
#endif
}

int change_clock(const Aim&) {
  timeval now{};
  ::gettimeofday(&now, nullptr);
  return error_of(::settimeofday(&now, nullptr));
}

int remember_dumps(const Aim&) {
  return error_of(::prctl(PR_SET_DUMPABLE, 1));
}

}  // namespace

Attempts on_the_machine() {
  return {
      {"setuid", [](const Aim& aim) { return error_of(::syscall(SYS_setuid, aim.number())); }},
      {"setgid", [](const Aim& aim) { return error_of(::syscall(SYS_setgid, aim.number())); }},
      {"setgroups", [](const Aim&) { return error_of(::syscall(SYS_setgroups, 0, nullptr)); }},
      {"setresuid", [](const Aim& aim) { return error_of(::syscall(SYS_setresuid, -1, aim.number(), -1)); }},
      {"capset", regain_capabilities},
      {"keep capabilities", [](const Aim&) { return error_of(::prctl(PR_SET_KEEPCAPS, 0)); }},
      {"be dumpable", remember_dumps},
      {"personality", [](const Aim&) { return error_of(::personality(0xffffffff)); }},
      {"unshare users", [](const Aim&) { return unshare(CLONE_NEWUSER); }},
      {"unshare mounts", [](const Aim&) { return unshare(CLONE_NEWNS | CLONE_NEWUSER); }},
      {"setns", senseless(SYS_setns)},
      {"mount", senseless(SYS_mount)},
      {"umount", senseless(SYS_umount2)},
      {"pivot_root", senseless(SYS_pivot_root)},
      {"open_tree", senseless(SYS_open_tree)},
      {"fsopen", senseless(SYS_fsopen)},
      {"move_mount", senseless(SYS_move_mount)},
      {"bpf", senseless(SYS_bpf)},
      {"perf_event_open", senseless(SYS_perf_event_open)},
      {"keyctl", senseless(SYS_keyctl)},
      {"add_key", senseless(SYS_add_key)},
      {"userfaultfd", senseless(SYS_userfaultfd)},
      {"io_uring", senseless(SYS_io_uring_setup)},
      {"init_module", senseless(SYS_init_module)},
      {"finit_module", senseless(SYS_finit_module)},
      {"delete_module", senseless(SYS_delete_module)},
      {"kexec_load", senseless(SYS_kexec_load)},
      {"reboot", senseless(SYS_reboot)},
      {"swapon", senseless(SYS_swapon)},
      {"swapoff", senseless(SYS_swapoff)},
      {"acct", senseless(SYS_acct)},
      {"sethostname", senseless(SYS_sethostname)},
      {"setdomainname", senseless(SYS_setdomainname)},
      {"settimeofday", change_clock},
      {"clock_settime", senseless(SYS_clock_settime)},
      {"adjtimex", senseless(SYS_adjtimex)},
      {"ioperm", [](const Aim&) { return error_of(::syscall(SYS_ioperm, 0x80, 1, 1)); }},
      {"iopl", [](const Aim&) { return error_of(::syscall(SYS_iopl, 3)); }},
      {"kernel log", [](const Aim&) { return error_of(::syscall(SYS_syslog, 10, nullptr, 0)); }},
      {"fanotify", senseless(SYS_fanotify_init)},
      {"modify_ldt", senseless(SYS_modify_ldt)},
      {"open_by_handle_at", senseless(SYS_open_by_handle_at)},
      {"shared memory", share_memory},
      {"message queue", share_messages},
      {"semaphore", share_semaphore},
      {"posix message queue", open_queue},
      {"another filter", senseless(SYS_seccomp)},
      {"32-bit system call", call_as_32_bits},
  };
}

}  // namespace escaping
