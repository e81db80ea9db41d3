// Limits of this process (getrlimit(2)).
#pragma once

#include <algorithm>
#include <sys/resource.h>

#include "plugin/plugin.hpp"

namespace mcph {

// For good: both the soft and the hard one become `most`, or what the hard one is where that is less.
inline void set_resource_limit(__rlimit_resource resource, rlim_t most) {
  rlimit limits{};
  if (::getrlimit(resource, &limits) != 0) return;
  limits.rlim_max = std::min(limits.rlim_max, most);
  limits.rlim_cur = limits.rlim_max;
  ::setrlimit(resource, &limits);
}

// The soft one becomes `most` if it is more; the process may raise it again.
inline void lower_soft_limit(__rlimit_resource resource, rlim_t most) {
  rlimit limits{};
  if (::getrlimit(resource, &limits) != 0 || limits.rlim_cur <= most) return;
  limits.rlim_cur = most;
  ::setrlimit(resource, &limits);
}

// Of a process with a sandbox, for good, unless its operator allows it another number. It may send as many and 253 more
// descriptors to nobody (unix(7), ETOOMANYREFS): so few that others of its user, who may have `usual_open_files`, still
// send theirs.
inline constexpr rlim_t sandboxed_open_files = 512;
inline constexpr rlim_t usual_open_files = 1024;

// To what the host limits a plugin, or a program.
inline void keep_to(const PluginLimits& limits) {
  if (limits.memory_bytes > 0) set_resource_limit(RLIMIT_DATA, limits.memory_bytes);
  if (limits.open_files > 0) set_resource_limit(RLIMIT_NOFILE, limits.open_files);
  // The host has raised it for itself; what a plugin links may use select(2), or close all that there could be.
  lower_soft_limit(RLIMIT_NOFILE, usual_open_files);
}

}  // namespace mcph
