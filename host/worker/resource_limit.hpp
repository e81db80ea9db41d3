// Limits of this process (getrlimit(2)), for good.
#pragma once

#include <algorithm>
#include <sys/resource.h>

namespace mcph {

// Both the soft and the hard one become `most`, or what the hard one is where that is less.
inline void set_resource_limit(__rlimit_resource resource, rlim_t most) {
  rlimit limits{};
  if (::getrlimit(resource, &limits) != 0) return;
  limits.rlim_max = std::min(limits.rlim_max, most);
  limits.rlim_cur = limits.rlim_max;
  ::setrlimit(resource, &limits);
}

}  // namespace mcph
