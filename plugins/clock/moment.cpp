#include "clock/moment.hpp"

#include <array>
#include <string_view>

#include "clock/iso_time.hpp"

namespace plugins::clock {

using namespace std::chrono;

namespace {

constexpr std::array<std::string_view, 7> weekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};

}  // namespace

Moment moment_in(const TimeZone& zone, Milliseconds time) {
  const auto second = floor<seconds>(time);
  const milliseconds fraction = time - second;
  const Offset offset = zone.offset_at(second);
  const local_seconds local((second + offset.from_utc).time_since_epoch());
  Moment moment;
  moment.offset = offset_text(offset.from_utc);
  moment.time = iso_text(local, fraction) + moment.offset;
  moment.zone = zone.name();
  moment.utc = iso_text(local_seconds(second.time_since_epoch()), fraction) + 'Z';
  moment.unix_seconds = second.time_since_epoch().count();
  moment.abbreviation = offset.abbreviation;
  moment.daylight_saving = offset.is_daylight_saving;
  moment.weekday = weekdays[weekday(floor<days>(local)).c_encoding()];
  return moment;
}

}  // namespace plugins::clock
