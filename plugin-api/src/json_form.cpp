#include <charconv>
#include <cstdio>
#include <optional>
#include <random>

#include <mcp/plugin/json_form.hpp>

#include "base64.hpp"

namespace mcp {
namespace {

using namespace std::chrono_literals;

/// Takes a text apart from its beginning.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_either(char c, char other) { return take(c) || take(other); }
  /// Exactly as many digits.
  std::optional<int> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  /// One digit or more.
  std::optional<std::int64_t> number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || rest_.front() == '-') return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// The digits after the point of a number of seconds, of which those beyond nanoseconds do not count.
  std::optional<std::chrono::nanoseconds> fraction() {
    std::chrono::nanoseconds value{0};
    std::chrono::nanoseconds unit = 100ms;
    std::size_t count = 0;
    for (; count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9'; ++count, unit /= 10)
      value += (rest_[count] - '0') * unit;
    rest_.remove_prefix(count);
    return count == 0 ? std::nullopt : std::optional(value);
  }

 private:
  std::string_view rest_;
};

std::optional<std::chrono::year_month_day> date_of(Reader& reader) {
  const auto year = reader.digits(4);
  if (!year || !reader.take('-')) return std::nullopt;
  const auto month = reader.digits(2);
  if (!month || !reader.take('-')) return std::nullopt;
  const auto day = reader.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  return date.ok() ? std::optional(date) : std::nullopt;
}

std::optional<std::chrono::nanoseconds> time_of_day_of(Reader& reader, int last_second) {
  const auto hours = reader.digits(2);
  if (!hours || *hours > 23 || !reader.take(':')) return std::nullopt;
  const auto minutes = reader.digits(2);
  if (!minutes || *minutes > 59 || !reader.take(':')) return std::nullopt;
  const auto seconds = reader.digits(2);
  if (!seconds || *seconds > last_second) return std::nullopt;
  std::chrono::nanoseconds time = std::chrono::hours(*hours) + std::chrono::minutes(*minutes) + *seconds * 1s;
  if (!reader.take('.')) return time;
  const auto fraction = reader.fraction();
  if (!fraction) return std::nullopt;
  return time + *fraction;
}

std::optional<std::chrono::seconds> offset_of(Reader& reader) {
  if (reader.take_either('Z', 'z')) return 0s;
  const bool is_negative = reader.take('-');
  if (!is_negative && !reader.take('+')) return std::nullopt;
  const auto hours = reader.digits(2);
  if (!hours || *hours > 23 || !reader.take(':')) return std::nullopt;
  const auto minutes = reader.digits(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  const std::chrono::seconds offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return is_negative ? -offset : offset;
}

std::optional<detail::WideDuration> time_of(Reader& reader) {
  const auto date = date_of(reader);
  if (!date || !(reader.take_either('T', 't') || reader.take(' '))) return std::nullopt;
  // A leap second is the first one of the next minute to a clock that has none.
  const auto time = time_of_day_of(reader, 60);
  if (!time) return std::nullopt;
  const auto offset = offset_of(reader);
  if (!offset || !reader.at_end()) return std::nullopt;
  return detail::WideDuration{std::chrono::sys_days(*date).time_since_epoch() - *offset, *time};
}

/// The units of a duration's date part or of its time part, in their order.
struct DurationUnit {
  char letter;
  std::chrono::seconds seconds;
};
constexpr DurationUnit days_and_weeks[] = {{'W', std::chrono::weeks(1)}, {'D', std::chrono::days(1)}};
constexpr DurationUnit parts_of_a_day[] = {{'H', 1h}, {'M', 1min}, {'S', 1s}};

template <std::size_t N>
bool add_units(Reader& reader, const DurationUnit (&units)[N], detail::WideDuration& sum, bool& any) {
  std::size_t next = 0;
  while (const auto number = reader.number()) {
    std::optional<std::chrono::nanoseconds> fraction;
    if (reader.take('.') && !(fraction = reader.fraction())) return false;
    while (next < N && !reader.take(units[next].letter))
      ++next;
    if (next == N || (fraction && units[next].letter != 'S')) return false;
    const auto unit = units[next].seconds;
    if (*number > (std::chrono::seconds::max() - sum.seconds) / unit) return false;
    sum.seconds += *number * unit;
    if (fraction) sum.rest = *fraction;
    ++next;
    any = true;
  }
  return true;
}

std::optional<detail::WideDuration> duration_of(Reader& reader) {
  const bool is_negative = reader.take('-');
  if (!reader.take('P')) return std::nullopt;
  detail::WideDuration sum;
  bool any = false;
  if (!add_units(reader, days_and_weeks, sum, any)) return std::nullopt;
  if (reader.take('T')) {
    any = false;
    if (!add_units(reader, parts_of_a_day, sum, any)) return std::nullopt;
  }
  if (!any || !reader.at_end()) return std::nullopt;
  if (is_negative) sum = {-sum.seconds, -sum.rest};
  return sum;
}

[[noreturn]] void refuse_text(const char* why) {
  throw std::invalid_argument(why);
}

template <class... Number>
std::string formatted(const char* format, Number... numbers) {
  char text[64];
  std::snprintf(text, sizeof text, format, numbers...);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  return text;
}

/// ".25" without zeros at its end, or nothing.
std::string fraction_text(std::chrono::nanoseconds rest) {
  if (rest.count() == 0) return {};
  auto text = formatted(".%09lld", static_cast<long long>(rest.count()));
  return text.erase(text.find_last_not_of('0') + 1);
}

constexpr auto no_date = "must be a date such as 2026-11-24";
constexpr auto no_time = "must be a time with its offset, such as 2026-11-24T09:30:00Z or 2026-11-24T10:30:00+01:00";
constexpr auto no_time_of_day = "must be a time of day such as 09:30:00";
constexpr auto no_duration = "must be a duration such as PT1H30M, P2D or PT0.5S";
constexpr auto no_uuid = "must be a UUID such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
constexpr auto no_base64 = "must be base64, with its padding";

constexpr std::chrono::sys_days first_day = std::chrono::year(0) / 1 / 1;
constexpr std::chrono::sys_days last_day = std::chrono::year(9999) / 12 / 31;

[[noreturn]] void refuse_to_write_date() {
  throw std::domain_error("a date does not exist, or its year has not four digits");
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

namespace detail {

void refuse_distance() {
  refuse_text("is farther away than this can be counted");
}

void refuse_to_write_distance() {
  throw std::domain_error("a time or a duration is not a number, or too long to be counted in seconds");
}

std::chrono::year_month_day read_date(std::string_view text) {
  Reader reader(text);
  const auto date = date_of(reader);
  if (!date || !reader.at_end()) refuse_text(no_date);
  return *date;
}

std::string write_date(std::chrono::year_month_day date) {
  if (!date.ok() || std::chrono::sys_days(date) < first_day || std::chrono::sys_days(date) > last_day)
    refuse_to_write_date();
  return formatted("%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                   static_cast<unsigned>(date.day()));
}

std::string write_date(std::chrono::sys_days date) {
  // Before it is taken apart, because a year is a number of 16 bits.
  if (date < first_day || date > last_day) refuse_to_write_date();
  return write_date(std::chrono::year_month_day(date));
}

WideDuration read_time(std::string_view text) {
  Reader reader(text);
  const auto time = time_of(reader);
  if (!time) refuse_text(no_time);
  return *time;
}

std::string write_time(const WideDuration& since_1970) {
  const auto begun = std::chrono::floor<std::chrono::seconds>(since_1970.rest);
  const auto seconds = since_1970.seconds + begun;
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  std::string text = write_date(std::chrono::sys_days(day));  // which refuses days that are too far away
  return text + 'T' + write_time_of_day({seconds - day, since_1970.rest - begun}) + 'Z';
}

std::chrono::nanoseconds read_time_of_day(std::string_view text) {
  Reader reader(text);
  const auto time = time_of_day_of(reader, 59);
  if (!time || !reader.at_end()) refuse_text(no_time_of_day);
  return *time;
}

std::string write_time_of_day(const WideDuration& time) {
  if (time.seconds < 0s || time.seconds >= 24h || time.rest < 0ns)
    throw std::domain_error("a time of day is not between 00:00:00 and 24:00:00");
  const std::chrono::hh_mm_ss parts(time.seconds);
  return formatted("%02d:%02d:%02d", static_cast<int>(parts.hours().count()), static_cast<int>(parts.minutes().count()),
                   static_cast<int>(parts.seconds().count())) +
         fraction_text(time.rest);
}

WideDuration read_duration(std::string_view text) {
  Reader reader(text);
  const auto duration = duration_of(reader);
  if (!duration) refuse_text(no_duration);
  return *duration;
}

std::string write_duration(const WideDuration& duration) {
  const bool is_negative = duration.seconds < 0s || duration.rest < 0ns;
  // Without a sign, so that the least number of seconds has its opposite.
  auto seconds = static_cast<std::uint64_t>(duration.seconds.count());
  if (is_negative) seconds = 0 - seconds;
  std::string text = is_negative ? "-P" : "P";
  const auto append = [&](std::uint64_t unit, char letter) {
    if (seconds >= unit) (text += std::to_string(seconds / unit)) += letter;
    seconds %= unit;
  };
  constexpr std::uint64_t minute = 60;
  constexpr std::uint64_t hour = 60 * minute;
  append(24 * hour, 'D');
  const auto fraction = fraction_text(is_negative ? -duration.rest : duration.rest);
  if (seconds == 0 && fraction.empty()) return text.size() > (is_negative ? 2U : 1U) ? text : "PT0S";
  text += 'T';
  append(hour, 'H');
  append(minute, 'M');
  if (seconds > 0 || !fraction.empty()) text += std::to_string(seconds) + fraction + 'S';
  return text;
}

std::vector<std::byte> read_base64(std::string_view text) {
  if (text.size() % 4 != 0) refuse_text(no_base64);
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_padding = i >= text.size() - padding;
    const int digit = is_padding ? 0 : base64_digit(text[i]);
    if (digit < 0) refuse_text(no_base64);
    group = group << 6U | static_cast<std::uint32_t>(digit);
    if (i % 4 != 3) continue;
    for (const unsigned shift : {16U, 8U, 0U})
      bytes.push_back(static_cast<std::byte>(group >> shift & 0xFFU));
    group = 0;
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string write_base64(const std::vector<std::byte>& bytes) {
  return base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void require_no_nul(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) refuse_text("must have no NUL character");
}

}  // namespace detail

Uuid::Uuid(std::string_view text) {
  constexpr std::size_t length = 36;
  if (text.size() != length) refuse_text(no_uuid);
  std::size_t at = 0;
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if ((i == 4 || i == 6 || i == 8 || i == 10) && text[at++] != '-') refuse_text(no_uuid);
    const int high = hex_digit(text[at]);
    const int low = hex_digit(text[at + 1]);
    if (high < 0 || low < 0) refuse_text(no_uuid);
    bytes_[i] = static_cast<std::uint8_t>(high * 16 + low);
    at += 2;
  }
}

Uuid Uuid::random() {
  std::random_device device;
  std::array<std::uint8_t, 16> bytes{};
  for (auto& byte : bytes)
    byte = static_cast<std::uint8_t>(device());
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | 0x40U);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);
  return Uuid(bytes);
}

std::string Uuid::text() const {
  std::string text;
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += formatted("%02x", static_cast<unsigned>(bytes_[i]));
  }
  return text;
}

}  // namespace mcp
