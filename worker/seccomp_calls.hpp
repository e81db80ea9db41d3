// The lists of system calls behind the filters.
#pragma once

#include <array>

namespace mcph {

// One a line they would be no lists to read.
// clang-format off

// What a strict process may call with any arguments: calls that concern itself, its descriptors and its memory, and
// those on files that Landlock restricts. So no chmod, chown, utimes or setxattr, which it does not, and no inotify,
// which tells the names of files that may not be read.
inline constexpr auto ordinary_calls = std::to_array<const char*>({
    // memory
    "brk", "madvise", "membarrier", "memfd_create", "mincore", "mlock", "mlock2", "mprotect", "mremap", "msync",
    "munlock", "munmap",
    // threads and time
    "alarm", "exit", "exit_group", "futex", "futex_waitv", "getcpu", "getitimer", "gettid", "gettimeofday",
    "nanosleep", "pause", "restart_syscall", "rseq", "sched_get_priority_max", "sched_get_priority_min", "sched_yield",
    "set_robust_list", "set_tid_address", "setitimer", "time", "timer_delete", "timer_getoverrun", "timer_gettime",
    "timer_settime", "times",
    // of any process, because the C library asks it by the number of a thread, where it looks for a thread's stack
    "sched_getaffinity",
    // its own signals
    "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait",
    "sigaltstack", "signalfd", "signalfd4",
    // what it is
    "getegid", "geteuid", "getgid", "getgroups", "getpid", "getppid", "getrandom", "getresgid", "getresuid",
    "getrlimit", "getrusage", "getuid", "setrlimit", "sysinfo", "umask", "uname",
    // descriptors
    "close", "close_range", "dup", "dup2", "dup3", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait",
    "epoll_pwait2", "epoll_wait", "eventfd", "eventfd2", "lseek", "pipe", "pipe2", "poll", "ppoll", "pread64",
    "preadv", "preadv2", "pselect6", "pwrite64", "pwritev", "pwritev2", "read", "readv", "select", "timerfd_create",
    "timerfd_gettime", "timerfd_settime", "write", "writev",
    // connected sockets
    "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmmsg", "recvmsg", "sendmsg", "setsockopt",
    "shutdown",
    // files
    "access", "chdir", "copy_file_range", "creat", "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir",
    "fdatasync", "flock", "fstat", "fstatfs", "fsync", "ftruncate", "getcwd", "getdents", "getdents64", "link",
    "linkat", "lstat", "mkdir", "mkdirat", "mknod", "mknodat", "newfstatat", "readahead", "readlink", "readlinkat",
    "rename", "renameat", "renameat2", "rmdir", "sendfile", "splice", "stat", "statfs", "statx", "symlink",
    "symlinkat", "sync_file_range", "tee", "unlink", "unlinkat",
});

// And these where it has a network.
inline constexpr auto network_calls =
    std::to_array<const char*>({"accept", "accept4", "bind", "connect", "listen", "sendmmsg", "sendto"});

// What a permissive process may not call: what concerns other processes, the machine, or parts of the kernel that
// plugins do not need and attacks have come through.
inline constexpr auto dangerous_calls = std::to_array<const char*>({
    // other processes
    "get_robust_list", "kcmp", "migrate_pages", "move_pages", "pidfd_getfd", "process_madvise", "process_mrelease", "process_vm_readv",
    "process_vm_writev", "ptrace",
    // namespaces and mounts
    "chroot", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr", "move_mount", "open_tree",
    "pivot_root", "setns", "umount", "umount2", "unshare",
    // the machine
    "acct", "adjtimex", "clock_adjtime", "clock_settime", "delete_module", "finit_module", "init_module", "ioperm",
    "iopl", "kexec_file_load", "kexec_load", "quotactl", "quotactl_fd", "reboot", "setdomainname", "sethostname",
    "settimeofday", "stime", "swapoff", "swapon", "syslog", "vhangup",
    // much of the kernel behind one call
    "add_key", "bpf", "fanotify_init", "io_uring_enter", "io_uring_register", "io_uring_setup", "keyctl",
    "lookup_dcookie", "name_to_handle_at", "nfsservctl", "open_by_handle_at", "perf_event_open", "request_key",
    "uselib", "userfaultfd",
});

// clang-format on

}  // namespace mcph
