// A worker that becomes another program, such as an upstream server, with the sandbox and the limits that it has by
// then. What the host has marked it with stays on it, and it still ends with the host.
#pragma once

#include "base/result.hpp"
#include "plugin/isolated/worker_setup.hpp"

namespace mcph {

// Returns only where that fails.
Error become_program(const WorkerSetup& setup);

}  // namespace mcph
