// The system calls that a sandboxed process may make: the kernel refuses all others with an error. libseccomp writes
// the program that the kernel runs.
#pragma once

#include "base/result.hpp"
#include "plugin/sandbox.hpp"

namespace mcph {

struct SeccompRules {
  SandboxNetwork network = SandboxNetwork::none;
  // Of a permissive process: it reaches those of its user, whatever the network. A strict one has none.
  bool local_sockets = true;
  bool landlock_sees_truncation = false;  // so that only what may be written can be truncated
};

// From then on, for good, and for every thread and process that this one starts. A strict process can make the calls on
// a list, and neither start another process nor signal one; a permissive one can make all but those on another list.
Result<> enter_strict_filter(const SeccompRules& rules);
Result<> enter_permissive_filter(const SeccompRules& rules);

// In the same way: beside other filters, no other process and no other program.
Result<> enter_filter_without_processes();

}  // namespace mcph
