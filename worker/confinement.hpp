// The sandbox of a worker, entered by itself, for good. Before any other thread begins and before anything of the
// plugin is loaded: what restricts a process restricts the thread that asks for it and what that starts.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "plugin/isolated/worker_setup.hpp"

namespace mcph {

// What this system lacks of the sandbox, in words; an error where the plugin may not run without it, or the
// configuration names what is not there.
Result<std::vector<std::string>> confine(const WorkerSetup& setup);

}  // namespace mcph
