#include "limits/rate.hpp"

#include <charconv>
#include <utility>

namespace mcph {
namespace {

constexpr std::pair<std::string_view, std::chrono::seconds> rate_periods[] = {{"s", std::chrono::seconds(1)},
                                                                              {"min", std::chrono::minutes(1)},
                                                                              {"h", std::chrono::hours(1)},
                                                                              {"d", std::chrono::hours(24)}};

}  // namespace

Result<Rate> read_rate(std::string_view text) {
  const auto explanation = "must be COUNT/PERIOD, such as 60/min, with a count from 1 to " +
                           std::to_string(Rate::max_count) + " and a period s, min, h or d, but is \"" +
                           std::string(text) + "\"";
  Rate rate;
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return fail(explanation);
  const auto [end, error] = std::from_chars(text.data(), text.data() + slash, rate.count);
  if (error != std::errc{} || end != text.data() + slash || rate.count == 0 || rate.count > Rate::max_count)
    return fail(explanation);
  for (const auto& [name, period] : rate_periods) {
    if (text.substr(slash + 1) != name) continue;
    rate.period = period;
    return rate;
  }
  return fail(explanation);
}

std::string rate_text(const Rate& rate) {
  auto text = std::to_string(rate.count) + "/";
  for (const auto& [name, period] : rate_periods) {
    if (period == rate.period) text.append(name);
  }
  return text;
}

BucketSize BucketSize::of(const Rate& rate, std::uint64_t burst) {
  const auto period = std::chrono::nanoseconds(rate.period).count();
  const auto count = static_cast<std::int64_t>(rate.count);
  const auto interval = (period + count - 1) / count;
  return {interval, interval * static_cast<std::int64_t>(burst)};
}

}  // namespace mcph
