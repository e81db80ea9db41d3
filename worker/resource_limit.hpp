// Limits of this process (getrlimit(2)).
#pragma once

#include <algorithm>
#include <sys/resource.h>

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

}  // namespace mcph
