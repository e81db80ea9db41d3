// How a plugin version's calls went: how many, how many ended with an error, how long the answered ones took, and what
// went wrong last. A value of fixed size that its owner guards; counting allocates nothing.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace mcph {

struct LastError {
  std::string what;
  std::chrono::system_clock::time_point at;
};

class CallStatistics {
 public:
  static constexpr std::size_t max_error_bytes = 1000;  // of LastError::what, which is cut off there

  struct Summary {
    std::uint64_t calls = 0;   // accepted
    std::uint64_t errors = 0;  // of these, and those that were refused because too many were in flight
    std::size_t in_flight = 0;
    // From when a call is accepted until the plugin answers it; 12 % too much at most. 0: none has been answered.
    std::chrono::microseconds p50{0};
    std::chrono::microseconds p99{0};
    std::optional<LastError> last_error = {};  // of a call, of the plugin's process, or what the plugin said of one
  };

  void began() { ++calls_; }
  void answered(std::chrono::nanoseconds took);
  void failed() { ++errors_; }
  void went_wrong(std::string what);
  // What is known only now of an earlier time. Nothing that went wrong after it is replaced.
  void went_wrong(LastError error);

  // All but what is in flight.
  Summary summary() const;

 private:
  // Times below 8 us have a bucket for each microsecond, longer ones eight for each power of two, up to 71 minutes.
  static constexpr unsigned steps_log2 = 3;
  static constexpr unsigned steps = 1U << steps_log2;
  static constexpr unsigned max_bits = 32;
  static constexpr std::size_t buckets = std::size_t{steps} * (max_bits - steps_log2 + 1);

  static std::size_t bucket_of(std::uint64_t microseconds);
  static std::uint64_t upper_bound(std::size_t bucket);
  std::chrono::microseconds quantile(std::uint64_t rank) const;

  std::uint64_t calls_ = 0;
  std::uint64_t errors_ = 0;
  std::uint64_t answered_ = 0;
  std::array<std::uint64_t, buckets> times_{};
  std::optional<LastError> last_error_;
};

}  // namespace mcph
