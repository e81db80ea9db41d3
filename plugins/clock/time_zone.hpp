// TimeZone: what clocks show in one zone at every moment, and which moments a clock's time can mean. Immutable; any
// number of threads may use one.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "clock/posix_rule.hpp"
#include "clock/zone_data.hpp"

namespace plugins::clock {

// What a time on the clock means. Clocks that are put forward skip some times, and clocks that are put back show some
// twice.
struct Resolution {
  enum class Kind { unique, skipped, repeated };
  Kind kind = Kind::unique;

  // Repeated: the earlier moment. Skipped: the moment counted with the offset before the change, at which the clock
  // shows a time that is later by what it skipped.
  std::chrono::sys_seconds time;

  // Skipped: before and after the change. Repeated: of the earlier and the later moment. Unique: both are the offset.
  Offset first;
  Offset second;
};

class TimeZone {
 public:
  TimeZone(std::string name, ZoneData data) : name_(std::move(name)), data_(std::move(data)) {}

  const std::string& name() const { return name_; }

  // Daylight saving is what people call so: with the later clocks, also where the database has it in winter.
  Offset offset_at(std::chrono::sys_seconds time) const;

  Resolution resolve(std::chrono::local_seconds time) const;

 private:
  Period period_at(std::chrono::sys_seconds time) const;
  // Whether the database has this period and those beside it the wrong way round, as it does for Ireland, where by law
  // winter is the exception.
  bool is_turned_round(const Period& period) const;

  std::string name_;
  ZoneData data_;
};

}  // namespace plugins::clock
