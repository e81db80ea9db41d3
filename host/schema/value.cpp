#include "schema/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"

namespace mcph::schema {
namespace {

template <class Left, class Right>
std::weak_ordering compare_integers(Left left, Right right) {
  if (std::cmp_less(left, right)) return std::weak_ordering::less;
  return std::cmp_equal(left, right) ? std::weak_ordering::equivalent : std::weak_ordering::greater;
}

std::weak_ordering compare_doubles(double left, double right) {
  if (left < right) return std::weak_ordering::less;
  if (left > right) return std::weak_ordering::greater;
  // Equal, or at least one is NaN.
  return std::isnan(right) <=> std::isnan(left);
}

// Through the integer part, because a 64-bit integer may not fit a double.
template <class Integer>
std::weak_ordering compare_to_double(Integer left, double right) {
  constexpr double beyond_max = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
  constexpr double min = std::is_signed_v<Integer> ? -0x1p63 : 0.0;
  if (std::isnan(right) || right < min) return std::weak_ordering::greater;
  if (right >= beyond_max) return std::weak_ordering::less;
  const double whole = std::trunc(right);
  const auto order = compare_integers(left, static_cast<Integer>(whole));
  return std::is_eq(order) ? compare_doubles(whole, right) : order;
}

std::weak_ordering reversed(std::weak_ordering order) {
  if (std::is_lt(order)) return std::weak_ordering::greater;
  return std::is_gt(order) ? std::weak_ordering::less : order;
}

struct CompareNumbers {
  std::weak_ordering operator()(double left, double right) const { return compare_doubles(left, right); }
  template <class Integer>
  std::weak_ordering operator()(Integer left, double right) const {
    return compare_to_double(left, right);
  }
  template <class Integer>
  std::weak_ordering operator()(double left, Integer right) const {
    return reversed(compare_to_double(right, left));
  }
  template <class Left, class Right>
  std::weak_ordering operator()(Left left, Right right) const {
    return compare_integers(left, right);
  }
};

// The types of JSON; numbers are one type.
int type_rank(JsonValue value) {
  using Kind = JsonValue::Kind;
  return static_cast<int>(value.is_number() ? Kind::floating : value.kind());
}

std::weak_ordering compare_arrays(JsonValue left, JsonValue right) {
  const auto left_elements = left.elements();
  const auto right_elements = right.elements();
  auto a = left_elements.begin();
  auto b = right_elements.begin();
  for (; a != left_elements.end() && b != right_elements.end(); ++a, ++b) {
    if (const auto order = compare_values(*a, *b); std::is_neq(order)) return order;
  }
  return left.size() <=> right.size();
}

std::weak_ordering compare_objects(JsonValue left, JsonValue right) {
  const auto left_members = left.members();
  const auto right_members = right.members();
  auto a = left_members.begin();
  auto b = right_members.begin();
  for (; a != left_members.end() && b != right_members.end(); ++a, ++b) {
    const auto [key, value] = *a;
    const auto [other_key, other_value] = *b;
    if (const auto order = key <=> other_key; std::is_neq(order)) return order;
    if (const auto order = compare_values(value, other_value); std::is_neq(order)) return order;
  }
  return left.size() <=> right.size();
}

// digits * 10^exponent, without its sign; digits does not end in a decimal zero.
struct Decimal {
  std::uint64_t digits;
  int exponent;
};

Decimal without_trailing_zeros(Decimal number) {
  while (number.digits != 0 && number.digits % 10 == 0) {
    number.digits /= 10;
    ++number.exponent;
  }
  return number;
}

Decimal to_decimal(std::uint64_t number) {
  return without_trailing_zeros({number, 0});
}

Decimal to_decimal(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return to_decimal(number < 0 ? 0 - bits : bits);
}

// The shortest decimal that reads back as this double: what its author wrote, in all likelihood. It has at most 17
// digits.
Decimal to_decimal(double number) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::fabs(number), std::chars_format::scientific).ptr;
  Decimal decimal{0, 0};
  const char* at = text.data();
  for (bool in_fraction = false; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      in_fraction = true;
      continue;
    }
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    if (in_fraction) --decimal.exponent;
  }
  const bool negative_exponent = at[1] == '-';
  int exponent = 0;
  std::from_chars(at + 2, end, exponent);
  decimal.exponent += negative_exponent ? -exponent : exponent;
  return without_trailing_zeros(decimal);
}

bool is_multiple(Decimal value, Decimal divisor) {
  if (value.digits == 0) return true;
  // The value's digits do not end in zero, so they have no factor 10 for the divisor to use up.
  if (value.exponent < divisor.exponent) return false;
  // What the value's digits have not of the divisor, its tens must have.
  auto rest = divisor.digits / std::gcd(value.digits, divisor.digits);
  const int tens = value.exponent - divisor.exponent;
  for (const std::uint64_t factor : {2U, 5U}) {
    for (int power = 0; power < tens && rest % factor == 0; ++power)
      rest /= factor;
  }
  return rest == 1;
}

// At most `max_shown_text` bytes, cut between characters.
std::string shortened(std::string_view text) {
  if (text.size() <= max_shown_text) return std::string(text);
  auto end = max_shown_text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace

std::weak_ordering compare_numbers(Number left, Number right) {
  return std::visit(CompareNumbers{}, left, right);
}

std::weak_ordering compare_values(JsonValue left, JsonValue right) {
  const auto left_rank = type_rank(left);
  const auto right_rank = type_rank(right);
  if (left_rank != right_rank) return left_rank <=> right_rank;
  if (left.is_number()) return compare_numbers(left.number(), right.number());
  switch (left.kind()) {
    case JsonValue::Kind::boolean:
      return left.boolean() <=> right.boolean();
    case JsonValue::Kind::string:
      return compare_strings(left, right);
    case JsonValue::Kind::array:
      return compare_arrays(left, right);
    case JsonValue::Kind::object:
      return compare_objects(left, right);
    default:
      return std::weak_ordering::equivalent;
  }
}

bool is_integer(Number number) {
  const auto* floating = std::get_if<double>(&number);
  return floating == nullptr || (std::isfinite(*floating) && std::trunc(*floating) == *floating);
}

bool is_multiple_of(Number value, Number divisor) {
  if (const auto* floating = std::get_if<double>(&value); floating != nullptr && !std::isfinite(*floating))
    return false;
  const auto decimal = [](Number number) { return std::visit([](auto n) { return to_decimal(n); }, number); };
  return is_multiple(decimal(value), decimal(divisor));
}

bool nested_deeper_than(JsonValue value, std::size_t levels) {
  if (!value.is_structured()) return false;
  if (levels == 0) return true;
  if (value.is_array()) {
    for (const auto element : value.elements())
      if (nested_deeper_than(element, levels - 1)) return true;
  }
  for (const auto [key, member] : value.members()) {
    if (nested_deeper_than(member, levels - 1)) return true;
  }
  return false;
}

std::size_t count_code_points(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(
      utf8.begin(), utf8.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string describe(JsonValue value) {
  if (value.is_structured() && value.size() == 0) return value.is_array() ? "an empty array" : "an empty object";
  if (value.is_array()) return "an array of " + std::to_string(value.size()) + (value.size() == 1 ? " item" : " items");
  if (value.is_object()) return "an object";
  return short_text(value);
}

std::string short_text(const Json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr ? shortened(dump(value)) : in_quotes(*text);
}

std::string short_text(JsonValue value) {
  return value.is_string() ? in_quotes(value.beginning(max_shown_text + 1)) : short_text(value.json());
}

std::string text_of(Number number) {
  return std::visit([](auto value) { return dump(Json(value)); }, number);
}

std::string in_quotes(std::string_view text) {
  std::string quoted;
  append_json_string(quoted, shortened(text));
  return quoted;
}

}  // namespace mcph::schema
