#include "clock/time_zone.hpp"

#include <algorithm>
#include <iterator>

namespace plugins::clock {

using namespace std::chrono;

namespace {

// No zone is further from UTC (RFC 8536 section 3.2).
constexpr hours largest_offset{26};

sys_seconds moment(local_seconds time, const Offset& offset) {
  return sys_seconds((time - offset.from_utc).time_since_epoch());
}

bool contains(const Period& period, sys_seconds time) {
  return period.begin <= time && time < period.end;
}

}  // namespace

Period TimeZone::period_at(sys_seconds time) const {
  const auto& transitions = data_.transitions;
  const auto next = std::upper_bound(transitions.begin(), transitions.end(), time,
                                     [](sys_seconds t, const auto& transition) { return t < transition.at; });
  const sys_seconds begin = next == transitions.begin() ? beginning_of_time : std::prev(next)->at;
  if (next == transitions.end() && data_.rule) {
    Period period = data_.rule->period_at(time);
    period.begin = std::max(period.begin, begin);
    return period;
  }
  const std::size_t offset = next == transitions.begin() ? 0 : std::prev(next)->offset;
  return {begin, next == transitions.end() ? end_of_time : next->at, data_.offsets[offset]};
}

bool TimeZone::is_turned_round(const Period& period) const {
  if (period.begin == beginning_of_time || period.end == end_of_time) return false;
  const auto is_other_way_round = [&here = period.offset](const Offset& beside) {
    if (beside.is_daylight_saving == here.is_daylight_saving) return false;
    return here.is_daylight_saving ? beside.from_utc > here.from_utc : beside.from_utc < here.from_utc;
  };
  return is_other_way_round(period_at(period.begin - seconds(1)).offset) &&
         is_other_way_round(period_at(period.end).offset);
}

Offset TimeZone::offset_at(sys_seconds time) const {
  Period period = period_at(time);
  if (is_turned_round(period)) period.offset.is_daylight_saving = !period.offset.is_daylight_saving;
  return period.offset;
}

Resolution TimeZone::resolve(local_seconds time) const {
  const sys_seconds as_utc(time.time_since_epoch());
  Period previous = period_at(as_utc - largest_offset);
  std::optional<Resolution> found;
  for (Period period = previous; period.begin <= as_utc + largest_offset; period = period_at(period.end)) {
    const sys_seconds here = moment(time, period.offset);
    if (contains(period, here) && found) {
      return {Resolution::Kind::repeated, found->time, found->first, period.offset};
    }
    if (contains(period, here)) found = {Resolution::Kind::unique, here, period.offset, period.offset};
    const sys_seconds before = moment(time, previous.offset);
    if (!found && here < period.begin && before >= previous.end) {
      return {Resolution::Kind::skipped, before, previous.offset, period.offset};
    }
    if (period.end == end_of_time) break;
    previous = period;
  }
  return *found;
}

}  // namespace plugins::clock
