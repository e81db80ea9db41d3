// Runs a program as a unit of systemd would have it, as far as that is kernel and not systemd: without capabilities and
// new privileges, and with a filter of system calls. What allows them comes on standard input, a word a line: "call
// NAME", "family NUMBER" for sockets, "namespace FLAG" for new ones. usage: under_unit PROGRAM [ARGUMENT...] <RULES
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr std::uint64_t namespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

bool drop_capabilities() {
  for (unsigned long capability = 0;; ++capability) {
    const int has = ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
    if (has < 0) break;
    if (has > 0 && ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return false;
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

bool filter_calls() {
  const auto filter = ::seccomp_init(SCMP_ACT_ERRNO(EPERM));
  const auto allow = [filter](const std::string& name, std::initializer_list<scmp_arg_cmp> arguments) {
    const int call = ::seccomp_syscall_resolve_name(name.c_str());
    if (call == __NR_SCMP_ERROR) return true;  // of another architecture, or of a newer kernel
    return ::seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, static_cast<unsigned>(arguments.size()),
                                    arguments.begin()) == 0;
  };
  bool good = true;
  std::uint64_t forbidden = namespaces;
  std::string kind;
  std::string value;
  while (std::cin >> kind >> value) {
    if (kind == "namespace") forbidden &= ~std::stoull(value);
    if (kind == "family") good = allow("socket", {{0, SCMP_CMP_EQ, std::stoull(value), 0}}) && good;
    const bool has_rule_of_its_own =
        value == "socket" || value == "clone" || value == "clone3" || value == "unshare" || value == "setns";
    if (kind == "call" && !has_rule_of_its_own) good = allow(value, {}) && good;
  }
  for (const char* const call : {"clone", "unshare"})
    good = allow(call, {{0, SCMP_CMP_MASKED_EQ, forbidden, 0}}) && good;
  // As systemd has it: the C library takes clone in its stead, whose flags a filter sees.
  good = ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 && good;
  return good && ::seccomp_load(filter) == 0;
}

}  // namespace

int main(int, char** arguments) {
  if (!drop_capabilities() || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !filter_calls()) {
    std::cerr << "under_unit: the limits of the unit cannot be set\n";
    return 2;
  }
  // The program reads nothing of the rules.
  if (std::freopen("/dev/null", "r", stdin) == nullptr) return 2;
  ::execv(arguments[1], arguments + 1);
  std::cerr << "under_unit: " << arguments[1] << " cannot be started\n";
  return 2;
}
