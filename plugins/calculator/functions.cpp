#include "calculator/functions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <system_error>

namespace plugins::calculator {
namespace {

using Arguments = std::span<const double>;

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// Beyond this, not every whole number is a double.
constexpr double largest_whole_number = 9007199254740992.0;

template <double (*function)(double)>
double of_one(Arguments arguments) {
  return function(arguments[0]);
}

// The standard library's logarithm of 0 is infinite, which would be reported as too large.
template <double (*logarithm)(double)>
double log_of(Arguments arguments) {
  return arguments[0] > 0 ? logarithm(arguments[0]) : undefined;
}

double log_to_base(Arguments arguments) {
  if (arguments[0] <= 0) return undefined;
  if (arguments.size() == 1) return std::log(arguments[0]);
  const double base = arguments[1];
  if (base <= 0 || base == 1) return undefined;
  // The special cases are exact where a quotient of two logarithms is not: log(1000, 10) is 3.
  if (base == 10) return std::log10(arguments[0]);
  if (base == 2) return std::log2(arguments[0]);
  const double quotient = std::log(arguments[0]) / std::log(base);
  const double whole = std::round(quotient);
  return std::pow(base, whole) == arguments[0] ? whole : quotient;
}

// coefficient * 10^exponent
struct Decimal {
  std::uint64_t coefficient = 0;
  int exponent = 0;
};

// The shortest that tells the number from every other: at most 17 digits.
Decimal shortest_decimal(double magnitude) {
  std::array<char, 32> text{};
  std::to_chars(text.data(), text.data() + text.size() - 1, magnitude, std::chars_format::scientific);
  Decimal decimal;
  bool is_behind_point = false;
  const char* at = text.data();
  for (; *at != 'e'; ++at) {
    if (*at == '.') {
      is_behind_point = true;
      continue;
    }
    decimal.coefficient = decimal.coefficient * 10 + static_cast<std::uint64_t>(*at - '0');
    if (is_behind_point) --decimal.exponent;
  }
  decimal.exponent += std::stoi(at + 1);
  return decimal;
}

// Infinite if it is too large.
double nearest_double(const Decimal& decimal) {
  const std::string text = std::to_string(decimal.coefficient) + 'e' + std::to_string(decimal.exponent);
  double value = 0;
  const auto error = std::from_chars(text.data(), text.data() + text.size(), value).ec;
  return error == std::errc::result_out_of_range ? std::numeric_limits<double>::infinity() : value;
}

// Halves away from zero. Rounds the decimal number that people see, because scaling by a power of ten is inexact:
// numbers that have no more digits stay as they are, and 1.005 has a half in its third.
double round_to_digits(Arguments arguments) {
  const double value = arguments[0];
  if (arguments.size() == 1) return std::round(value);
  const double digits = arguments[1];
  if (digits != std::trunc(digits) || std::abs(digits) > 300) return undefined;
  Decimal decimal = shortest_decimal(std::abs(value));
  const int last_place = -static_cast<int>(digits);
  if (decimal.exponent >= last_place) return value;
  for (; decimal.exponent < last_place - 1; ++decimal.exponent)
    decimal.coefficient /= 10;
  decimal = {(decimal.coefficient + 5) / 10, last_place};
  return std::copysign(nearest_double(decimal), value);
}

double sum(Arguments arguments) {
  return std::accumulate(arguments.begin(), arguments.end(), 0.0);
}

double mean(Arguments arguments) {
  const auto count = static_cast<double>(arguments.size());
  const double total = sum(arguments);
  if (std::isfinite(total)) return total / count;
  // The sum is too large, which the mean never is. A power of two takes no digits away.
  const double scale = std::exp2(std::ceil(std::log2(count)));
  const double scaled_total = std::accumulate(arguments.begin(), arguments.end(), 0.0,
                                              [scale](double part, double value) { return part + value / scale; });
  const auto [least, largest] = std::minmax_element(arguments.begin(), arguments.end());
  return std::clamp(scaled_total / count * scale, *least, *largest);
}

double hypotenuse(Arguments arguments) {
  return std::accumulate(arguments.begin(), arguments.end(), 0.0, [](double a, double b) { return std::hypot(a, b); });
}

bool is_whole_number(double value) {
  return value == std::trunc(value) && std::abs(value) <= largest_whole_number;
}

double greatest_common_divisor(Arguments arguments) {
  if (!std::all_of(arguments.begin(), arguments.end(), is_whole_number)) return undefined;
  return static_cast<double>(std::accumulate(
      arguments.begin(), arguments.end(), std::int64_t{0},
      [](std::int64_t divisor, double value) { return std::gcd(divisor, static_cast<std::int64_t>(value)); }));
}

constexpr std::array functions{
    Function{"sqrt", 1, 1, of_one<std::sqrt>},
    Function{"cbrt", 1, 1, of_one<std::cbrt>},
    Function{"abs", 1, 1, of_one<std::fabs>},
    Function{"ln", 1, 1, log_of<std::log>},
    Function{"log", 1, 2, log_to_base},
    Function{"log10", 1, 1, log_of<std::log10>},
    Function{"log2", 1, 1, log_of<std::log2>},
    Function{"exp", 1, 1, of_one<std::exp>},
    Function{"sin", 1, 1, of_one<std::sin>},
    Function{"cos", 1, 1, of_one<std::cos>},
    Function{"tan", 1, 1, of_one<std::tan>},
    Function{"asin", 1, 1, of_one<std::asin>},
    Function{"acos", 1, 1, of_one<std::acos>},
    Function{"atan", 1, 1, of_one<std::atan>},
    Function{"atan2", 2, 2, [](Arguments a) { return std::atan2(a[0], a[1]); }},
    Function{"sinh", 1, 1, of_one<std::sinh>},
    Function{"cosh", 1, 1, of_one<std::cosh>},
    Function{"tanh", 1, 1, of_one<std::tanh>},
    Function{"rad", 1, 1, [](Arguments a) { return a[0] * (std::numbers::pi / 180); }},
    Function{"deg", 1, 1, [](Arguments a) { return a[0] * (180 / std::numbers::pi); }},
    Function{"floor", 1, 1, of_one<std::floor>},
    Function{"ceil", 1, 1, of_one<std::ceil>},
    Function{"round", 1, 2, round_to_digits},
    Function{"trunc", 1, 1, of_one<std::trunc>},
    Function{"min", 1, any_number, [](Arguments a) { return *std::min_element(a.begin(), a.end()); }},
    Function{"max", 1, any_number, [](Arguments a) { return *std::max_element(a.begin(), a.end()); }},
    Function{"sum", 1, any_number, sum},
    Function{"mean", 1, any_number, mean},
    Function{"hypot", 2, any_number, hypotenuse},
    Function{"gcd", 2, any_number, greatest_common_divisor},
};

}  // namespace

const Function* find_function(std::string_view name) {
  const auto* const found = std::find_if(functions.begin(), functions.end(),
                                         [name](const Function& function) { return function.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

std::optional<double> find_constant(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "e") return std::numbers::e;
  if (name == "tau") return 2 * std::numbers::pi;
  return std::nullopt;
}

std::string function_names() {
  std::string names;
  for (const Function& function : functions) {
    if (!names.empty()) names += ", ";
    names += function.name;
  }
  return names;
}

double rounded(double value, int digits) {
  return round_to_digits(std::array{value, static_cast<double>(digits)});
}

std::string shortest_text(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace plugins::calculator
