// How long things took, counted by bounds: those that OpenTelemetry recommends for MCP, and below them the times of
// plugins in processes beside us. A value of fixed size that its owner guards.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mcph {

class Histogram {
 public:
  using Time = std::chrono::nanoseconds;

  static constexpr std::size_t bucket_count = 21;
  // In seconds, as metrics name them.
  static constexpr std::array<std::string_view, bucket_count> bound_names{
      "0.0001", "0.0002", "0.0005", "0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2",
      "0.5",    "1",      "2",      "5",     "10",    "30",    "60",   "120",  "300",  "+Inf"};

  void add(Time took) {
    const auto* const found = std::lower_bound(bounds.begin(), bounds.end() - 1, took);
    ++counts_[static_cast<std::size_t>(found - bounds.begin())];
    sum_ += took;
  }
  void add(const Histogram& other) {
    for (std::size_t i = 0; i < bucket_count; ++i)
      counts_[i] += other.counts_[i];
    sum_ += other.sum_;
  }

  // Those of each bucket alone.
  const std::array<std::uint64_t, bucket_count>& counts() const { return counts_; }
  Time sum() const { return sum_; }

 private:
  static constexpr std::array<Time, bucket_count> bounds = [] {
    using std::chrono::microseconds;
    std::array<Time, bucket_count> all{};
    constexpr std::array<std::int64_t, bucket_count - 1> us{
        100,       200,        500,        1'000,      2'000,       5'000,      10'000,
        20'000,    50'000,     100'000,    200'000,    500'000,     1'000'000,  2'000'000,
        5'000'000, 10'000'000, 30'000'000, 60'000'000, 120'000'000, 300'000'000};
    for (std::size_t i = 0; i < us.size(); ++i)
      all[i] = microseconds(us[i]);
    all.back() = Time::max();
    return all;
  }();

  std::array<std::uint64_t, bucket_count> counts_{};
  Time sum_{0};
};

}  // namespace mcph
