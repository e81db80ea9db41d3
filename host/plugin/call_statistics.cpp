#include "plugin/call_statistics.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace mcph {

std::size_t CallStatistics::bucket_of(std::uint64_t microseconds) {
  constexpr auto most = (std::uint64_t{1} << max_bits) - 1;
  const auto time = std::min(microseconds, most);
  if (time < steps) return time;
  const auto octave = static_cast<unsigned>(std::bit_width(time)) - 1 - steps_log2;
  // The leading bit of time >> octave is the eighth step, so that the octaves join.
  return std::size_t{steps} * octave + (time >> octave);
}

// The longest time that falls into it.
std::uint64_t CallStatistics::upper_bound(std::size_t bucket) {
  if (bucket < steps) return bucket;
  const auto octave = bucket / steps - 1;
  return ((bucket % steps + steps + 1) << octave) - 1;
}

void CallStatistics::answered(std::chrono::nanoseconds took) {
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  ++times_[bucket_of(static_cast<std::uint64_t>(std::max<std::int64_t>(microseconds, 0)))];
  ++answered_;
}

void CallStatistics::went_wrong(std::string what) {
  last_error_.reset();
  went_wrong(LastError{std::move(what), std::chrono::system_clock::now()});
}

void CallStatistics::went_wrong(LastError error) {
  if (last_error_ && last_error_->at > error.at) return;
  if (error.what.size() > max_error_bytes) error.what.resize(max_error_bytes);
  last_error_ = std::move(error);
}

std::chrono::microseconds CallStatistics::quantile(std::uint64_t rank) const {
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    seen += times_[bucket];
    if (seen >= rank) return std::chrono::microseconds(upper_bound(bucket));
  }
  return {};
}

CallStatistics::Summary CallStatistics::summary() const {
  Summary summary{.calls = calls_, .errors = errors_, .last_error = last_error_};
  if (answered_ == 0) return summary;
  constexpr std::uint64_t percent = 100;
  const auto rank = [this](std::uint64_t share) { return (answered_ * share + percent - 1) / percent; };
  summary.p50 = quantile(rank(50));
  summary.p99 = quantile(rank(99));
  return summary;
}

}  // namespace mcph
