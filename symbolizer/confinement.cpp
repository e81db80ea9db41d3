#include "symbolizer/confinement.hpp"

#include <array>
#include <cerrno>
#include <memory>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace mcph {
namespace {

constexpr std::array system_calls{"brk",        "close",        "exit",      "exit_group", "fcntl",  "fstat",
                                  "futex",      "lseek",        "mmap",      "mremap",     "munmap", "mprotect",
                                  "newfstatat", "pread64",      "read",      "write",      "writev", "madvise",
                                  "getrandom",  "rt_sigreturn", "getrlimit", "fstat64"};

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit limits{most, most};
  ::setrlimit(resource, &limits);
}

void set_limits() {
  constexpr unsigned seconds = 5;
  ::alarm(seconds);
  limit(RLIMIT_CORE, 0);
// A sanitizer reserves much more memory than it uses.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit(RLIMIT_DATA, rlim_t{512} << 20);
#endif
}

}  // namespace

bool give_up_everything_else() {
  set_limits();
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(::seccomp_init(SCMP_ACT_ERRNO(EPERM)),
                                                                ::seccomp_release);
  if (filter == nullptr) return false;
  for (const auto* const call : system_calls) {
    const int number = ::seccomp_syscall_resolve_name(call);
    if (number != __NR_SCMP_ERROR && ::seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, number, 0) < 0) return false;
  }
  return ::seccomp_load(filter.get()) == 0;
}

}  // namespace mcph
