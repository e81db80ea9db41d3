// How one plugin version fares: what the operator is told of it. A value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/call_statistics.hpp"
#include "plugin/sandbox.hpp"

namespace mcph {

enum class PluginState {
  serving,
  starting,  // its process is about to serve: calls wait
  backoff,   // its process has crashed again and again, and is started anew in a while: calls are refused
  ended      // it is not started anew
};

struct PluginStatus {
  bool in_process = false;  // it shares the host's process
  int pid = 0;              // of the process that it runs in; 0: there is none
  PluginState state = PluginState::starting;
  std::uint64_t restarts = 0;  // of its process, after crashes
  CallStatistics::Summary calls = {};
  SandboxProfile sandbox = SandboxProfile::none;
  std::vector<std::string> sandbox_lacks = {};  // that the system does not have of it, in words
};

}  // namespace mcph
