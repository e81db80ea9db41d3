#include "worker/seccomp_filter.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <sched.h>
#include <seccomp.h>
#include <span>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "worker/seccomp_calls.hpp"

namespace mcph {
namespace {

using Values = std::initializer_list<std::uint64_t>;
using Argument = scmp_arg_cmp;
constexpr std::uint32_t refuse = SCMP_ACT_ERRNO(EPERM);
// So that the C library takes an older call in its stead, whose arguments a filter can see.
constexpr std::uint32_t unknown = SCMP_ACT_ERRNO(ENOSYS);

constexpr Argument equals(unsigned index, std::uint64_t value) {
  return {index, SCMP_CMP_EQ, value, 0};
}
constexpr Argument has_bits(unsigned index, std::uint64_t mask, std::uint64_t value) {
  return {index, SCMP_CMP_MASKED_EQ, mask, value};
}
constexpr Argument at_least(unsigned index, std::uint64_t value) {
  return {index, SCMP_CMP_GE, value, 0};
}
constexpr Argument above(unsigned index, std::uint64_t value) {
  return {index, SCMP_CMP_GT, value, 0};
}
constexpr Argument differs(unsigned index, std::uint64_t value) {
  return {index, SCMP_CMP_NE, value, 0};
}

// The first mistake is kept, and reported when the filter is entered.
class Filter {
 public:
  explicit Filter(std::uint32_t otherwise) : context_(::seccomp_init(otherwise)) {
    if (context_ == nullptr) {
      mistake_ = ENOMEM;
      return;
    }
    keep(::seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, refuse));
    keep(::seccomp_attr_set(context_, SCMP_FLTATR_CTL_TSYNC, 1));
    constexpr std::uint32_t as_a_tree = 2;
    keep(::seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, as_a_tree));
  }
  ~Filter() { ::seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  // Where all the arguments are so. A call that this system does not have needs no rule.
  void on(const char* call, std::uint32_t action, std::initializer_list<Argument> arguments = {}) {
    const int number = ::seccomp_syscall_resolve_name(call);
    if (context_ == nullptr || number == __NR_SCMP_ERROR) return;
    const std::span<const Argument> all(arguments.begin(), arguments.size());
    keep(::seccomp_rule_add_array(context_, action, number, static_cast<unsigned>(all.size()), all.data()));
  }
  void on_all(std::span<const char* const> calls, std::uint32_t action) {
    for (const auto* call : calls)
      on(call, action);
  }

  Result<> enter() {
    if (mistake_ == 0) keep(::seccomp_load(context_));
    if (mistake_ == 0) return {};
    return fail(std::strerror(mistake_));
  }

 private:
  void keep(int result) {
    if (result < 0 && mistake_ == 0) mistake_ = -result;
  }

  scmp_filter_ctx context_;
  int mistake_ = 0;
};

constexpr std::uint64_t new_namespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint64_t socket_type = 0xf;
// All that the kernel takes of an argument which is an int.
constexpr std::uint64_t low_half = 0xffffffff;

constexpr std::uint64_t negative_clock = 0x80000000;
constexpr std::uint64_t of_thread = 4;

std::uint64_t own_number() {
  return static_cast<std::uint64_t>(::getpid());
}

void allow_threads_only(Filter& filter) {
  filter.on("clone", SCMP_ACT_ALLOW, {has_bits(0, CLONE_THREAD | CLONE_PARENT | new_namespaces, CLONE_THREAD)});
  filter.on("clone3", unknown);
}

// To itself. A thread's number alone (tkill) does not tell whose it is.
void allow_own_signals(Filter& filter) {
  for (const char* const call : {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"})
    filter.on(call, SCMP_ACT_ALLOW, {equals(0, own_number())});
}

// A clock whose number is below 0 counts processor time: of a thread, which the kernel tells only of one's own, or of a
// process, whose number is in it.
void allow_own_clocks(Filter& filter) {
  constexpr std::uint64_t of_both_modes = 2;
  for (const char* const call : {"clock_getres", "clock_gettime", "clock_nanosleep", "timer_create"}) {
    filter.on(call, SCMP_ACT_ALLOW, {has_bits(0, negative_clock, 0)});
    filter.on(call, SCMP_ACT_ALLOW, {has_bits(0, negative_clock | of_thread, negative_clock | of_thread)});
    for (const auto process : {std::uint64_t{0}, own_number()})
      filter.on(call, SCMP_ACT_ALLOW, {has_bits(0, low_half, (~process << 3 | of_both_modes) & low_half)});
  }
}

void allow_own_settings(Filter& filter) {
  for (const char* const call : {"prlimit64", "sched_setaffinity"}) {
    for (const auto process : {std::uint64_t{0}, own_number()})
      filter.on(call, SCMP_ACT_ALLOW, {equals(0, process)});
  }
  constexpr std::uint64_t name_mapping = 0x53564d41;  // PR_SET_VMA
  for (const auto option : Values{PR_SET_NAME, PR_GET_NAME, name_mapping})
    filter.on("prctl", SCMP_ACT_ALLOW, {equals(0, option)});
}

// O_TRUNC empties a file also for who opens it only to read, or neither to read nor to write (mode 3). Where Landlock
// does not see that, nothing is emptied so, nor opened by openat2, whose flags no filter sees.
void allow_opening(Filter& filter, const SeccompRules& rules) {
  if (rules.landlock_sees_truncation) {
    for (const char* const call : {"open", "openat", "openat2", "truncate"})
      filter.on(call, SCMP_ACT_ALLOW);
    return;
  }
  constexpr std::uint64_t mode_and_truncation = O_ACCMODE | O_TRUNC;
  for (const auto& [call, flags] : {std::pair{"open", 1U}, std::pair{"openat", 2U}}) {
    filter.on(call, SCMP_ACT_ALLOW, {has_bits(flags, O_TRUNC, 0)});
    for (const auto mode : Values{O_WRONLY, O_RDWR})
      filter.on(call, SCMP_ACT_ALLOW, {has_bits(flags, mode_and_truncation, mode | O_TRUNC)});
  }
  filter.on("openat2", unknown);
}

// No signal owners, leases or notes of a folder's changes; of a device, nothing.
void allow_plain_descriptors(Filter& filter) {
  for (const int command :
       {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK,
        F_OFD_SETLK, F_OFD_SETLKW, F_ADD_SEALS, F_GET_SEALS, F_GETPIPE_SZ, F_SETPIPE_SZ}) {
    filter.on("fcntl", SCMP_ACT_ALLOW, {equals(1, static_cast<std::uint64_t>(command))});
  }
  for (const auto request : Values{FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS})
    filter.on("ioctl", SCMP_ACT_ALLOW, {equals(1, request)});
}

// Not shared memory without a file: it counts as nobody's, so no limit would hold, and without other processes there
// is nobody to share it with.
void allow_mappings(Filter& filter) {
  constexpr std::uint64_t both = MAP_SHARED | MAP_ANONYMOUS;
  for (const auto flags : Values{0, MAP_SHARED, MAP_ANONYMOUS})
    filter.on("mmap", SCMP_ACT_ALLOW, {has_bits(3, both, flags)});
}

// Pairs are connected for good, but for those of datagrams, which can name another addressee each time.
void allow_sockets(Filter& filter, SandboxNetwork network) {
  for (const auto type : Values{SOCK_STREAM, SOCK_SEQPACKET})
    filter.on("socketpair", SCMP_ACT_ALLOW, {equals(0, AF_UNIX), has_bits(1, socket_type, type)});
  if (network == SandboxNetwork::none) return filter.on("sendto", SCMP_ACT_ALLOW, {equals(4, 0)});
  for (const auto family : Values{AF_INET, AF_INET6}) {
    for (const auto type : Values{SOCK_STREAM, SOCK_DGRAM})
      filter.on("socket", SCMP_ACT_ALLOW, {equals(0, family), has_bits(1, socket_type, type)});
  }
  filter.on_all(network_calls, SCMP_ACT_ALLOW);
}

void refuse_sockets(Filter& filter, const SeccompRules& rules) {
  if (!rules.local_sockets) {
    filter.on("socket", refuse, {has_bits(0, low_half, AF_UNIX)});
    for (const auto type : Values{SOCK_DGRAM, SOCK_RAW})  // the kernel makes the first of the second
      filter.on("socketpair", refuse, {has_bits(0, low_half, AF_UNIX), has_bits(1, socket_type, type)});
  }
  if (rules.network == SandboxNetwork::all) return;
  const bool has_loopback = rules.network == SandboxNetwork::loopback;
  const auto stays = [has_loopback](int family) {
    return family == AF_UNIX || (has_loopback && (family == AF_INET || family == AF_INET6 || family == AF_NETLINK));
  };
  for (int family = 0; family < AF_MAX; ++family) {
    if (!stays(family)) filter.on("socket", refuse, {equals(0, static_cast<std::uint64_t>(family))});
  }
  filter.on("socket", refuse, {at_least(0, AF_MAX)});
}

// Where the argument names a process that is neither the caller, by 0, nor this one. A rule compares an argument once,
// so this takes one for what is above and one for each block of numbers, whose sizes are powers of two, below. Numbers
// of own threads are refused, too: they are given later, and nobody could tell them from those of other processes.
void refuse_others(Filter& filter, const char* call, unsigned process) {
  const auto self = own_number();
  filter.on(call, refuse, {above(process, self)});
  for (std::uint64_t begin = 1, size = 1; begin < self; begin += size) {
    size = begin & (~begin + 1);
    while (begin + size > self)
      size /= 2;
    filter.on(call, refuse, {has_bits(process, ~(size - 1), begin)});
  }
}

// Who opens a file that another process has a lease of waits for that one, for 45 s as a rule.
void refuse_leases(Filter& filter) {
  constexpr std::uint64_t set_delegation = 1024 + 16;  // F_SETDELEG, of Linux 6.19
  for (const auto command : Values{F_SETLEASE, set_delegation})
    filter.on("fcntl", refuse, {has_bits(1, low_half, command)});
}

// What it may read of others it may read in /proc, too.
void refuse_settings_of_others(Filter& filter) {
  for (const char* const call :
       {"prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"}) {
    refuse_others(filter, call, 0);
  }
  // These name a process, a group or all processes of a user.
  constexpr std::uint64_t ioprio_of_process = 1;
  constexpr std::uint64_t core_scheduling = 62;  // PR_SCHED_CORE
  filter.on("setpriority", refuse, {differs(0, PRIO_PROCESS)});
  refuse_others(filter, "setpriority", 1);
  filter.on("ioprio_set", refuse, {differs(0, ioprio_of_process)});
  refuse_others(filter, "ioprio_set", 1);
  filter.on("prctl", refuse, {has_bits(0, low_half, core_scheduling)});
  // It has a number above 0 for its own processor time.
  filter.on("timer_create", refuse, {has_bits(0, negative_clock | of_thread, negative_clock)});
}

}  // namespace

Result<> enter_strict_filter(const SeccompRules& rules) {
  Filter filter(refuse);
  filter.on_all(ordinary_calls, SCMP_ACT_ALLOW);
  allow_opening(filter, rules);
  allow_threads_only(filter);
  allow_own_signals(filter);
  allow_own_clocks(filter);
  allow_own_settings(filter);
  allow_plain_descriptors(filter);
  allow_mappings(filter);
  allow_sockets(filter, rules.network);
  return filter.enter();
}

Result<> enter_permissive_filter(const SeccompRules& rules) {
  Filter filter(SCMP_ACT_ALLOW);
  filter.on_all(dangerous_calls, refuse);
  for (std::uint64_t bit = 1; bit <= new_namespaces; bit <<= 1) {
    if ((new_namespaces & bit) != 0) filter.on("clone", refuse, {has_bits(0, bit, bit)});
  }
  // It would be the host's child, for which the host does not wait.
  filter.on("clone", refuse, {has_bits(0, CLONE_PARENT, CLONE_PARENT)});
  filter.on("clone3", unknown);
  refuse_settings_of_others(filter);
  refuse_leases(filter);
  // What is done to the host's group, by a terminal for one, would be done to it.
  filter.on("setpgid", refuse, {has_bits(1, low_half, static_cast<std::uint64_t>(::getpgid(::getppid())) & low_half)});
  for (const auto request : Values{TIOCSTI, TIOCLINUX})
    filter.on("ioctl", refuse, {has_bits(1, low_half, request)});
  refuse_sockets(filter, rules);
  return filter.enter();
}

Result<> enter_filter_without_processes() {
  Filter filter(SCMP_ACT_ALLOW);
  for (const char* const call : {"fork", "vfork", "execve", "execveat"})
    filter.on(call, refuse);
  filter.on("clone", refuse, {has_bits(0, CLONE_THREAD, 0)});
  filter.on("clone3", unknown);
  return filter.enter();
}

}  // namespace mcph
