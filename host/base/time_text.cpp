#include "base/time_text.hpp"

#include <charconv>
#include <ctime>

namespace mcph {
namespace {

// A number of exactly so many digits.
std::optional<int> digits(std::string_view text, std::size_t begin, std::size_t count) {
  int number = 0;
  const auto* const first = text.data() + begin;
  const auto [end, error] = std::from_chars(first, first + count, number);
  if (error != std::errc{} || end != first + count || *first == '-') return std::nullopt;
  return number;
}

void append_digits(std::string& out, unsigned number, unsigned count) {
  out.append(count, '0');
  for (auto at = out.size(); count > 0; --count, number /= 10)
    out[--at] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::string time_text(std::chrono::system_clock::time_point when) {
  const auto seconds = std::chrono::system_clock::to_time_t(when);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[sizeof "9999-12-31T23:59:59Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string precise_time_text(std::chrono::system_clock::time_point when) {
  std::string text;
  append_precise_time(text, when);
  return text;
}

void append_precise_time(std::string& out, std::chrono::system_clock::time_point when) {
  using namespace std::chrono;
  const auto since = floor<milliseconds>(when);
  const auto day = floor<days>(since);
  const year_month_day date(day);
  const hh_mm_ss clock(since - day);
  append_digits(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  append_digits(out += '-', static_cast<unsigned>(date.month()), 2);
  append_digits(out += '-', static_cast<unsigned>(date.day()), 2);
  append_digits(out += 'T', static_cast<unsigned>(clock.hours().count()), 2);
  append_digits(out += ':', static_cast<unsigned>(clock.minutes().count()), 2);
  append_digits(out += ':', static_cast<unsigned>(clock.seconds().count()), 2);
  append_digits(out += '.', static_cast<unsigned>(clock.subseconds().count()), 3);
  out += 'Z';
}

std::optional<std::chrono::system_clock::time_point> read_time(std::string_view text) {
  static constexpr std::string_view whole = "0000-00-00T00:00:00Z";
  static constexpr std::size_t date_length = std::string_view("0000-00-00").size();
  if (text.size() != whole.size() && text.size() != date_length) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (whole[i] != '0' && text[i] != whole[i]) return std::nullopt;
  }
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  // What the clock can count.
  static constexpr int last_year = 2261;
  if (!date.ok() || *year < 1970 || *year > last_year) return std::nullopt;
  std::chrono::system_clock::time_point when = std::chrono::sys_days(date);
  if (text.size() == date_length) return when;
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return when + std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

}  // namespace mcph
