// How often something may happen: so many times in a period, and so many at once. A token bucket's size, as the generic
// cell rate algorithm has it: the time between two, and the time in which an empty bucket is full. Values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace mcph {

struct Rate {
  static constexpr std::uint64_t max_count = 1'000'000;

  std::uint64_t count = 1;          // to max_count
  std::chrono::seconds period{60};  // a second, a minute, an hour or a day

  friend bool operator==(const Rate&, const Rate&) = default;
};

// "60/min": the periods are s, min, h and d.
Result<Rate> read_rate(std::string_view text);
std::string rate_text(const Rate& rate);

struct BucketSize {
  // In whole nanoseconds, rounded up: nobody gets more than the rate.
  static BucketSize of(const Rate& rate, std::uint64_t burst);

  std::int64_t interval = 0;  // between two, in ns
  std::int64_t depth = 0;     // until an empty bucket is full, in ns

  std::uint64_t burst() const { return static_cast<std::uint64_t>(depth / interval); }

  friend bool operator==(const BucketSize&, const BucketSize&) = default;
};

// An empty bucket takes no longer to fill.
inline constexpr std::chrono::hours max_fill_time{366 * 24};

}  // namespace mcph
