#include "base/date_time.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/ascii.hpp"

namespace mcph {
namespace {

// Reads a text from its beginning to its end; what does not fit leaves it unfinished.
class DateTimeReader {
 public:
  explicit DateTimeReader(std::string_view text) : rest_(text) {}

  bool is_done() const { return rest_.empty(); }

  bool take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> take_number(std::size_t digits) {
    if (rest_.size() < digits ||
        !std::all_of(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(digits), is_digit)) {
      return std::nullopt;
    }
    int number = 0;
    for (std::size_t at = 0; at < digits; ++at) {
      number = number * 10 + (rest_[at] - '0');
    }
    rest_.remove_prefix(digits);
    return number;
  }

  // One digit or more.
  bool take_digits() {
    const auto end = static_cast<std::size_t>(std::find_if_not(rest_.begin(), rest_.end(), is_digit) - rest_.begin());
    rest_.remove_prefix(end);
    return end > 0;
  }

 private:
  std::string_view rest_;
};

bool is_in(std::optional<int> number, int lowest, int highest) {
  return number && *number >= lowest && *number <= highest;
}

int days_of(int year, int month) {
  constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap_year = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && is_leap_year ? 29 : days[static_cast<std::size_t>(month) - 1];
}

bool take_date(DateTimeReader& reader) {
  const auto year = reader.take_number(4);
  if (!year || !reader.take("-")) return false;
  const auto month = reader.take_number(2);
  if (!is_in(month, 1, 12) || !reader.take("-")) return false;
  return is_in(reader.take_number(2), 1, days_of(*year, *month));
}

// The offset from UTC in minutes.
std::optional<int> take_offset(DateTimeReader& reader) {
  if (reader.take("Zz")) return 0;
  const bool is_east = reader.take("+");
  if (!is_east && !reader.take("-")) return std::nullopt;
  const auto hours = reader.take_number(2);
  if (!is_in(hours, 0, 23) || !reader.take(":")) return std::nullopt;
  const auto minutes = reader.take_number(2);
  if (!is_in(minutes, 0, 59)) return std::nullopt;
  const int offset = *hours * 60 + *minutes;
  return is_east ? offset : -offset;
}

bool take_time(DateTimeReader& reader) {
  const auto hours = reader.take_number(2);
  if (!is_in(hours, 0, 23) || !reader.take(":")) return false;
  const auto minutes = reader.take_number(2);
  if (!is_in(minutes, 0, 59) || !reader.take(":")) return false;
  const auto seconds = reader.take_number(2);
  if (!is_in(seconds, 0, 60)) return false;
  if (reader.take(".") && !reader.take_digits()) return false;
  const auto offset = take_offset(reader);
  if (!offset) return false;
  // A leap second is the last of a day in UTC.
  constexpr int day = 24 * 60;
  return *seconds < 60 || (*hours * 60 + *minutes - *offset + day) % day == day - 1;
}

}  // namespace

bool is_date_time(const std::string& text) {
  DateTimeReader reader(text);
  return take_date(reader) && reader.take("Tt") && take_time(reader) && reader.is_done();
}

}  // namespace mcph
