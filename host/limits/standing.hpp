// How much of a limit is left. A value.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace mcph {

struct LimitStanding {
  std::string limit;               // as the configuration calls it: "limits.per_principal"
  bool is_concurrent = false;      // it is about requests in flight
  std::uint64_t quota = 0;         // at once
  std::chrono::seconds window{0};  // in which an empty bucket is full, rounded up
  std::uint64_t remaining = 0;
  std::chrono::milliseconds reset{0};  // until there is as much again as can be; of a refusal until there is one
};

}  // namespace mcph
