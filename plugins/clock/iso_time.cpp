#include "clock/iso_time.hpp"

#include <cstdint>

#include <mcp/plugin/error.hpp>

namespace plugins::clock {

using namespace std::chrono;

namespace {

constexpr int first_year = 1;
constexpr int last_year = 9999;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string two_digits(std::int64_t number) {
  return {static_cast<char>('0' + number / 10 % 10), static_cast<char>('0' + number % 10)};
}

class IsoTimeParser {
 public:
  explicit IsoTimeParser(std::string_view text) : text_(text) {}

  IsoTime parse() {
    const local_days day = date();
    IsoTime result{day, {}, {}};
    if (is_at_end()) return result;
    if (!take('T') && !take('t') && !take(' ')) fail("\"T\" and a time");
    result.time = day + time_of_day();
    if (is_at_point() && !has_seconds_) fail("seconds, which alone may have a fraction,");
    if (take('.') || take(',')) result.fraction = fraction();
    result.offset = offset();
    if (!is_at_end()) fail("the end");
    return result;
  }

 private:
  local_days date() {
    const year y(number(4, "a year of four digits", first_year, last_year));
    expect('-');
    const month m(static_cast<unsigned>(number(2, "a month from 01 to 12", 1, 12)));
    expect('-');
    const std::size_t place = at_;
    const day d(static_cast<unsigned>(number(2, "a day from 01 to 31", 1, 31)));
    if (!(y / m / d).ok()) {
      at_ = place;
      fail("a day that the month has");
    }
    return local_days{y / m / d};
  }

  seconds time_of_day() {
    const hours h(number(2, "an hour from 00 to 23", 0, 23));
    expect(':');
    const minutes m(number(2, "minutes from 00 to 59", 0, 59));
    has_seconds_ = take(':');
    const seconds s(has_seconds_ ? number(2, "seconds from 00 to 59", 0, 59) : 0);
    return h + m + s;
  }

  milliseconds fraction() {
    if (is_at_end() || !is_digit(text_[at_])) fail("digits of a second");
    milliseconds value{0};
    for (int unit = 100; !is_at_end() && is_digit(text_[at_]); unit /= 10)
      value += milliseconds((text_[at_++] - '0') * unit);
    return value;
  }

  std::optional<seconds> offset() {
    if (take('Z') || take('z')) return seconds(0);
    const bool is_west = take('-');
    if (!is_west && !take('+')) return std::nullopt;
    const hours h(number(2, "the hours of an offset from UTC, from 00 to 23", 0, 23));
    const bool has_minutes = take(':') || !is_at_end();
    const minutes m(has_minutes ? number(2, "the minutes of an offset from UTC, from 00 to 59", 0, 59) : 0);
    return is_west ? -(h + m) : h + m;
  }

  int number(std::size_t digits, std::string_view what, int min, int max) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (at_ + i >= text_.size() || !is_digit(text_[at_ + i])) fail(what);
      value = value * 10 + (text_[at_ + i] - '0');
    }
    if (value < min || value > max) fail(what);
    at_ += digits;
    return value;
  }

  void expect(char c) {
    if (!take(c)) fail(std::string{'"', c, '"'});
  }

  bool take(char c) {
    if (is_at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool is_at_point() const { return !is_at_end() && (text_[at_] == '.' || text_[at_] == ','); }

  bool is_at_end() const { return at_ == text_.size(); }

  [[noreturn]] void fail(std::string_view expected) const {
    throw mcp::ToolError("\"" + std::string(text_) + "\" is no time such as 2026-03-29T14:30 or " +
                         "2026-03-29T14:30:00+02:00: expected " + std::string(expected) + " at position " +
                         std::to_string(at_ + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool has_seconds_ = false;
};

}  // namespace

IsoTime parse_iso_time(std::string_view text) {
  return IsoTimeParser(text).parse();
}

std::string iso_text(local_seconds time, milliseconds fraction) {
  const local_days day = floor<days>(time);
  const year_month_day date(day);
  const int year = static_cast<int>(date.year());
  if (year < first_year || year > last_year) {
    throw mcp::ToolError("this moment is outside of the years 0001 to 9999, which ISO 8601 can write");
  }
  const hh_mm_ss clock(time - day);
  std::string text = two_digits(year / 100) + two_digits(year % 100) + '-' +
                     two_digits(static_cast<unsigned>(date.month())) + '-' +
                     two_digits(static_cast<unsigned>(date.day())) + 'T' + two_digits(clock.hours().count()) + ':' +
                     two_digits(clock.minutes().count()) + ':' + two_digits(clock.seconds().count());
  if (fraction.count() > 0) text += '.' + std::to_string(1000 + fraction.count()).substr(1);
  return text;
}

std::string offset_text(seconds offset) {
  const hh_mm_ss parts(abs(offset));
  std::string text =
      (offset < seconds(0) ? '-' : '+') + two_digits(parts.hours().count()) + ':' + two_digits(parts.minutes().count());
  if (parts.seconds().count() > 0) text += ':' + two_digits(parts.seconds().count());
  return text;
}

}  // namespace plugins::clock
