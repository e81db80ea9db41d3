// PosixRule: the rule by which a zone goes on after the last entry of its table, as POSIX writes it in the variable TZ:
// "CET-1CEST,M3.5.0,M10.5.0/3" (RFC 8536 section 3.3). An immutable value.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plugins::clock {

// What clocks in a zone show for some time.
struct Offset {
  std::chrono::seconds from_utc{0};
  bool is_daylight_saving = false;
  std::string abbreviation;
};

// A stretch of time with one offset: begin <= t < end.
struct Period {
  std::chrono::sys_seconds begin;
  std::chrono::sys_seconds end;
  Offset offset;
};

class PosixRule {
 public:
  // Nothing if the text is no such rule.
  static std::optional<PosixRule> parse(std::string_view text);

  Period period_at(std::chrono::sys_seconds time) const;

 private:
  friend class PosixRuleParser;

  // A day of every year, and the time on it in the clock's own time; it may be before or after that day.
  struct Date {
    enum class Kind { julian, zero_based, weekday };
    Kind kind = Kind::weekday;
    int day = 0;  // julian: 1 to 365, February 29 is never counted; zero_based: 0 to 365; weekday: 0 (Sunday) to 6
    unsigned month = 1;
    unsigned week = 1;  // 5: the last
    std::chrono::seconds time{7200};

    std::chrono::local_seconds in(std::chrono::year year) const;
  };

  struct Change {
    std::chrono::sys_seconds at;
    const Offset* to;
  };
  std::vector<Change> changes_around(std::chrono::year year) const;

  Offset standard_;
  std::optional<Offset> daylight_saving_;
  Date begin_;
  Date end_;
};

// Before and after all time.
inline constexpr std::chrono::sys_seconds beginning_of_time = std::chrono::sys_seconds::min();
inline constexpr std::chrono::sys_seconds end_of_time = std::chrono::sys_seconds::max();

}  // namespace plugins::clock
