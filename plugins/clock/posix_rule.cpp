#include "clock/posix_rule.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace plugins::clock {

using namespace std::chrono;

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_quotable(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-';
}

}  // namespace

// Takes the text apart from left to right. Each function takes one part off it and is false if the part is not there.
class PosixRuleParser {
 public:
  explicit PosixRuleParser(std::string_view text) : rest_(text) {}

  std::optional<PosixRule> parse() {
    PosixRule rule;
    if (!name(rule.standard_.abbreviation) || !offset(rule.standard_.from_utc)) return std::nullopt;
    if (!rest_.empty() && !daylight_saving(rule)) return std::nullopt;
    if (!rest_.empty()) return std::nullopt;
    return rule;
  }

 private:
  bool daylight_saving(PosixRule& rule) {
    Offset offset_then{rule.standard_.from_utc + hours(1), true, {}};
    if (!name(offset_then.abbreviation)) return false;
    if (!rest_.starts_with(',') && !offset(offset_then.from_utc)) return false;
    rule.daylight_saving_ = std::move(offset_then);
    return take(',') && date(rule.begin_) && take(',') && date(rule.end_);
  }

  bool name(std::string& name) {
    const bool is_quoted = take('<');
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_quoted ? is_quotable : is_letter);
    name = take_off(static_cast<std::size_t>(end - rest_.begin()));
    return name.size() >= 3 && (!is_quoted || take('>'));
  }

  // POSIX counts westwards.
  bool offset(seconds& from_utc) {
    seconds west{};
    if (!time(west, 24)) return false;
    from_utc = -west;
    return true;
  }

  bool date(PosixRule::Date& date) {
    if (!day(date)) return false;
    return !take('/') || time(date.time, 167);
  }

  bool day(PosixRule::Date& date) {
    if (take('M')) {
      int month = 0;
      int week = 0;
      date.kind = PosixRule::Date::Kind::weekday;
      if (!number(month, 1, 12) || !take('.') || !number(week, 1, 5) || !take('.') || !number(date.day, 0, 6)) {
        return false;
      }
      date.month = static_cast<unsigned>(month);
      date.week = static_cast<unsigned>(week);
      return true;
    }
    const bool is_julian = take('J');
    date.kind = is_julian ? PosixRule::Date::Kind::julian : PosixRule::Date::Kind::zero_based;
    return number(date.day, is_julian ? 1 : 0, 365);
  }

  // [+-]hh[:mm[:ss]]
  bool time(seconds& time, int max_hours) {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    int h = 0;
    int m = 0;
    int s = 0;
    if (!number(h, 0, max_hours)) return false;
    if (take(':') && !number(m, 0, 59)) return false;
    if (take(':') && !number(s, 0, 59)) return false;
    time = hours(h) + minutes(m) + seconds(s);
    if (is_negative) time = -time;
    return true;
  }

  bool number(int& number, int min, int max) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc() || rest_.front() == '-' || number < min || number > max) return false;
    take_off(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    take_off(1);
    return true;
  }

  std::string_view take_off(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

std::optional<PosixRule> PosixRule::parse(std::string_view text) {
  return PosixRuleParser(text).parse();
}

local_seconds PosixRule::Date::in(year year) const {
  const local_days first{year / January / 1};
  if (kind == Kind::zero_based) return first + days(day) + time;
  if (kind == Kind::julian) {
    const bool is_after_leap_day = year.is_leap() && day > 59;
    return first + days(day - 1 + (is_after_leap_day ? 1 : 0)) + time;
  }
  const weekday on(static_cast<unsigned>(day));
  const auto of_month = year / std::chrono::month(month);
  return week == 5 ? local_days{of_month / on[last]} + time : local_days{of_month / on[week]} + time;
}

std::vector<PosixRule::Change> PosixRule::changes_around(year year) const {
  std::vector<Change> changes;
  for (const auto each : {year - years(2), year - years(1), year, year + years(1), year + years(2)}) {
    changes.push_back({sys_seconds((begin_.in(each)-standard_.from_utc).time_since_epoch()), &*daylight_saving_});
    changes.push_back({sys_seconds((end_.in(each)-daylight_saving_->from_utc).time_since_epoch()), &standard_});
  }
  // Stable, for a zone whose daylight saving time never ends: there, one year's end is the next year's beginning, which
  // must stay behind it.
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  return changes;
}

Period PosixRule::period_at(sys_seconds time) const {
  if (!daylight_saving_) return {beginning_of_time, end_of_time, standard_};
  const year_month_day date(floor<days>(time));
  const std::vector<Change> changes = changes_around(date.year());
  const auto next = std::upper_bound(changes.begin(), changes.end(), time,
                                     [](sys_seconds t, const Change& change) { return t < change.at; });
  // A change is up to a week away from its year (RFC 8536, section 3.3.1), so there always are a previous and a next
  // one.
  return {std::prev(next)->at, next->at, *std::prev(next)->to};
}

}  // namespace plugins::clock
