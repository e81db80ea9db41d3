#include "chart/scale.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace plugins::chart {
namespace {

// 1, 2 or 5 times a power of ten, as large as asked at least.
double round_step(double at_least) {
  const double power = std::pow(10, std::floor(std::log10(at_least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    // A little tolerance, so that 0.30000000000000004 is 0.3.
    if (factor * power >= at_least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// The steps between them would underflow or be lost in rounding.
bool are_as_good_as_equal(double smallest, double largest) {
  constexpr double shortest = 1e-300;
  constexpr double min_part = 1e-13;
  return largest - smallest < std::max(shortest, min_part * std::max(std::abs(smallest), std::abs(largest)));
}

std::string text_of(double value, std::chars_format format, int digits) {
  std::array<char, 40> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, format, digits).ptr};
}

}  // namespace

std::string Scale::tick_text(double tick) const {
  constexpr int max_places = 12;
  const auto exponent = [](double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); };
  const int places = std::max(0, -exponent(step));
  if (places <= max_places) return text_of(tick, std::chars_format::fixed, places);
  const int digits = exponent(std::max(std::abs(low), std::abs(high))) + places + 1;
  return text_of(tick, std::chars_format::general, std::clamp(digits, 1, 17));
}

std::vector<double> Scale::ticks() const {
  std::vector<double> ticks;
  const auto count = std::lround((high - low) / step);
  // From whole steps, because repeated addition would not meet 0.
  const double first = std::round(low / step);
  for (long i = 0; i <= count; ++i)
    ticks.push_back((first + static_cast<double>(i)) * step);
  return ticks;
}

Scale scale_of(double smallest, double largest, bool from_zero, int max_steps) {
  if (from_zero) {
    smallest = std::min(smallest, 0.0);
    largest = std::max(largest, 0.0);
  }
  if (are_as_good_as_equal(smallest, largest)) {
    const double room = are_as_good_as_equal(0, std::abs(largest)) ? 1 : std::abs(largest) * 0.1;
    if (!from_zero) smallest -= room;
    largest += room;
  }
  double step = round_step((largest - smallest) / max_steps);
  const auto steps_with = [&](double each) { return std::ceil(largest / each) - std::floor(smallest / each); };
  while (steps_with(step) > max_steps + 0.5)
    step = round_step(step * 1.5);
  return {std::floor(smallest / step) * step, std::ceil(largest / step) * step, step};
}

std::string number_text(double value) {
  if (value == 0) return "0";            // and not -0
  constexpr double million = 999'999.5;  // which six digits round to 1e+06
  return std::abs(value) < million ? text_of(value, std::chars_format::general, 6)
                                   : text_of(value, std::chars_format::fixed, 0);
}

}  // namespace plugins::chart
