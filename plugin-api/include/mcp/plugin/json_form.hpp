// How a value that is none of JSON's own kinds is written in JSON: as a value of another type, mostly a text. There are
// forms for
//
//     a date (std::chrono::year_month_day, sys_days)      "2026-11-24"                  RFC 3339, full-date
//     a time (std::chrono::sys_seconds and others)        "2026-11-24T09:30:00Z"        RFC 3339, date-time
//     a time of day (std::chrono::hh_mm_ss)               "09:30:00"                    RFC 3339, partial-time
//     a duration (std::chrono::minutes and others)        "PT1H30M"                     ISO 8601, weeks to seconds
//     std::filesystem::path                               its text, as it is, without NUL
//     std::vector<std::byte>                              base64 (RFC 4648, section 4)
//     mcp::Uuid                                           "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", RFC 9562
//
// and of a type of your own you say it so:
//
//     template <>
//     struct mcp::JsonForm<Money> {
//       using As = std::string;
//       static Money from(const std::string& text);  // or std::invalid_argument("must be an amount such as 7.50 EUR")
//       static std::string to(const Money& money);
//       static constexpr std::string_view format = "money";  // may be left out, as may pattern
//     };
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace mcp {

template <class T>
struct JsonForm {};

/// A universally unique identifier.
class Uuid {
 public:
  constexpr Uuid() = default;
  explicit constexpr Uuid(const std::array<std::uint8_t, 16>& bytes) : bytes_(bytes) {}
  /// Throws std::invalid_argument.
  explicit Uuid(std::string_view text);
  /// A random one (version 4).
  static Uuid random();

  const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  std::string text() const;

  friend constexpr auto operator<=>(const Uuid&, const Uuid&) = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

namespace detail {

/// A duration, or a time since 1970, as far as RFC 3339 and ISO 8601 can say it.
struct WideDuration {
  std::chrono::seconds seconds{0};
  std::chrono::nanoseconds rest{0};  // less than a second, where it is to be written
};

std::chrono::year_month_day read_date(std::string_view text);
std::string write_date(std::chrono::year_month_day date);
std::string write_date(std::chrono::sys_days date);
WideDuration read_time(std::string_view text);
std::string write_time(const WideDuration& since_1970);
std::chrono::nanoseconds read_time_of_day(std::string_view text);
std::string write_time_of_day(const WideDuration& time);
WideDuration read_duration(std::string_view text);
std::string write_duration(const WideDuration& duration);
std::vector<std::byte> read_base64(std::string_view text);
std::string write_base64(const std::vector<std::byte>& bytes);
/// Of a path, which the operating system would end at a NUL, whatever a check of its end has found behind that.
void require_no_nul(std::string_view text);

/// Throws std::invalid_argument.
[[noreturn]] void refuse_distance();
/// Throws std::domain_error.
[[noreturn]] void refuse_to_write_distance();

/// Whether D can count so far, to less than its largest value, which stands for no end. What is not a number cannot be
/// counted.
template <class D, class Distance>
bool counts(Distance distance) {
  using Limits = std::numeric_limits<typename D::rep>;
  const auto count = std::chrono::duration<long double, typename D::period>(distance).count();
  return count >= static_cast<long double>(Limits::lowest()) && count < static_cast<long double>(Limits::max());
}

/// The same in another unit, rounded down.
template <class D>
D narrowed(const WideDuration& wide) {
  if constexpr (std::chrono::treat_as_floating_point_v<typename D::rep>) {
    return D(wide.seconds) + D(wide.rest);
  } else {
    using Precise = std::chrono::duration<long double>;
    const auto begun = std::chrono::floor<std::chrono::seconds>(wide.rest);
    const auto seconds = wide.seconds + begun;
    const auto rest = wide.rest - begun;
    if (!counts<D>(seconds) || !counts<D>(Precise(seconds) + Precise(rest))) refuse_distance();
    const auto whole = std::chrono::floor<D>(seconds);
    if constexpr (D::period::den == 1) {
      return whole;  // of whole seconds, so that the rest adds nothing
    } else {
      return whole + std::chrono::floor<D>(seconds - whole + rest);
    }
  }
}

/// To the nearest nanosecond.
template <class D>
WideDuration widened(D value) {
  if (!counts<std::chrono::seconds>(value)) refuse_to_write_distance();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(value);
  const auto rest = std::chrono::round<std::chrono::nanoseconds>(value - seconds);
  const auto carried = std::chrono::duration_cast<std::chrono::seconds>(rest);
  return {seconds + carried, rest - carried};
}

}  // namespace detail

template <>
struct JsonForm<std::chrono::year_month_day> {
  using As = std::string;
  static constexpr std::string_view format = "date";
  static std::chrono::year_month_day from(const std::string& text) { return detail::read_date(text); }
  static std::string to(std::chrono::year_month_day date) { return detail::write_date(date); }
};

template <>
struct JsonForm<std::chrono::sys_days> {
  using As = std::string;
  static constexpr std::string_view format = "date";
  static std::chrono::sys_days from(const std::string& text) { return detail::read_date(text); }
  static std::string to(std::chrono::sys_days date) { return detail::write_date(date); }
};

template <class D>
struct JsonForm<std::chrono::sys_time<D>> {
  using As = std::string;
  static constexpr std::string_view format = "date-time";
  static std::chrono::sys_time<D> from(const std::string& text) {
    return std::chrono::sys_time<D>(detail::narrowed<D>(detail::read_time(text)));
  }
  static std::string to(std::chrono::sys_time<D> time) {
    return detail::write_time(detail::widened(time.time_since_epoch()));
  }
};

template <class D>
struct JsonForm<std::chrono::hh_mm_ss<D>> {
  using As = std::string;
  static constexpr std::string_view pattern = "^\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?$";
  static std::chrono::hh_mm_ss<D> from(const std::string& text) {
    return std::chrono::hh_mm_ss<D>(detail::narrowed<D>({std::chrono::seconds(0), detail::read_time_of_day(text)}));
  }
  static std::string to(const std::chrono::hh_mm_ss<D>& time) {
    return detail::write_time_of_day(detail::widened(time.to_duration()));
  }
};

template <class Count, class Period>
struct JsonForm<std::chrono::duration<Count, Period>> {
  using Duration = std::chrono::duration<Count, Period>;
  using As = std::string;
  /// What is read and written, which is not quite "format": "duration" (RFC 3339, appendix A). Without lookahead, which
  /// some clients' expressions do not have.
  static constexpr std::string_view pattern =
      "^-?P(\\d+(W(\\d+D)?|D)(T\\d+(H(\\d+M)?(\\d+(\\.\\d+)?S)?|M(\\d+(\\.\\d+)?S)?|(\\.\\d+)?S))?"
      "|T\\d+(H(\\d+M)?(\\d+(\\.\\d+)?S)?|M(\\d+(\\.\\d+)?S)?|(\\.\\d+)?S))$";
  static Duration from(const std::string& text) { return detail::narrowed<Duration>(detail::read_duration(text)); }
  static std::string to(Duration duration) { return detail::write_duration(detail::widened(duration)); }
};

/// std::filesystem::path, whose header need not be read by plugins without paths.
template <class Path>
requires requires {
  Path::preferred_separator;
}
struct JsonForm<Path> {
  using As = std::string;
  static Path from(const std::string& text) {
    detail::require_no_nul(text);
    return Path(text);
  }
  static std::string to(const Path& path) { return path.string(); }
};

template <>
struct JsonForm<std::vector<std::byte>> {
  using As = std::string;
  static constexpr std::string_view encoding = "base64";
  static std::vector<std::byte> from(const std::string& text) { return detail::read_base64(text); }
  static std::string to(const std::vector<std::byte>& bytes) { return detail::write_base64(bytes); }
};

template <>
struct JsonForm<Uuid> {
  using As = std::string;
  static constexpr std::string_view format = "uuid";
  static Uuid from(const std::string& text) { return Uuid(text); }
  static std::string to(const Uuid& uuid) { return uuid.text(); }
};

}  // namespace mcp
