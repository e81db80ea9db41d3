#include "audit/refusal_sums.hpp"

#include <utility>

#include "base/time_text.hpp"

namespace mcph {

void RefusalSums::add(const Refused& refusal, Time now) {
  const auto minute = std::chrono::floor<std::chrono::minutes>(now);
  if (minute != minute_ && closed_.size() < max_closed) {
    close_minute();
    minute_ = minute;
  }
  Who who{refusal.source, refusal.principal};
  if (sums_.size() >= max_sources && !sums_.contains(who)) who = {"other", {}};
  auto& sum = sums_[who];
  ++sum.count;
  const bool has_room = sum.outcomes.size() < max_outcomes || sum.outcomes.contains(refusal.outcome);
  ++sum.outcomes[has_room ? refusal.outcome : "other"];
}

std::vector<AuditEvent> RefusalSums::take(Time now, bool is_end) {
  if (is_end || std::chrono::floor<std::chrono::minutes>(now) != minute_) close_minute();
  return std::exchange(closed_, {});
}

std::optional<RefusalSums::Time> RefusalSums::due() const {
  if (!closed_.empty()) return Time::min();
  return sums_.empty() ? std::nullopt : std::optional(minute_ + std::chrono::minutes(1));
}

void RefusalSums::close_minute() {
  // One after the other, so that none is lost where there is no memory for the next one.
  for (; !sums_.empty(); sums_.erase(sums_.begin())) {
    const auto& [who, sum] = *sums_.begin();
    AuditObject outcomes;
    for (const auto& [outcome, count] : sum.outcomes)
      outcomes.add(outcome, count);
    closed_.push_back(AuditEvent("refused")
                          .add("source", who.first)
                          .add_json("principal", who.second)
                          .add("minute", precise_time_text(minute_))
                          .add("count", sum.count)
                          .add_json("outcomes", outcomes.json()));
  }
}

}  // namespace mcph
