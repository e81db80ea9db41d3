// A clock that a test moves.
#pragma once

#include <atomic>
#include <chrono>

#include "limits/rate_buckets.hpp"

namespace mcph::test {

class ManualClock {
 public:
  void advance(std::chrono::nanoseconds time) { now_.fetch_add(time.count()); }
  LimitClock clock() {
    return [this] { return std::chrono::nanoseconds(now_.load()); };
  }

 private:
  std::atomic<std::int64_t> now_{1'000'000'000'000};
};

}  // namespace mcph::test
