#include "symbolizer/confinement.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <initializer_list>
#include <memory>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace mcph {
namespace {

constexpr std::array system_calls{"brk",    "close",   "exit",      "exit_group",   "fstat",     "futex",  "lseek",
                                  "mremap", "munmap",  "mprotect",  "newfstatat",   "pread64",   "read",   "write",
                                  "writev", "madvise", "getrandom", "rt_sigreturn", "getrlimit", "fstat64"};

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

bool allow(scmp_filter_ctx filter, const char* call, std::initializer_list<scmp_arg_cmp> conditions = {}) {
  const int number = ::seccomp_syscall_resolve_name(call);
  if (number == __NR_SCMP_ERROR) return true;
  return ::seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, static_cast<unsigned>(conditions.size()),
                                  conditions.begin()) >= 0;
}

// Who may do more with a descriptor can have a signal sent to whom it likes, and what is mapped to be shared counts as
// nobody's memory.
bool allow_in_part(scmp_filter_ctx filter) {
  for (const auto command : {F_GETFD, F_GETFL}) {
    if (!allow(filter, "fcntl", {scmp_arg_cmp{1, SCMP_CMP_EQ, static_cast<scmp_datum_t>(command), 0}})) return false;
  }
  return allow(filter, "mmap", {scmp_arg_cmp{3, SCMP_CMP_MASKED_EQ, MAP_PRIVATE, MAP_PRIVATE}});
}

}  // namespace

bool give_up_everything_else() {
  set_limits();
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(::seccomp_init(SCMP_ACT_ERRNO(EPERM)),
                                                                ::seccomp_release);
  if (filter == nullptr) return false;
  const auto allowed = [&](const char* call) { return allow(filter.get(), call); };
  if (!std::all_of(system_calls.begin(), system_calls.end(), allowed) || !allow_in_part(filter.get())) return false;
  return ::seccomp_load(filter.get()) == 0;
}

}  // namespace mcph
