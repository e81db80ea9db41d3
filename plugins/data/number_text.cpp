#include "data/number_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace plugins::data {
namespace {

constexpr int all_digits = 17;
constexpr double largest_whole = 9007199254740992.0;  // beyond it not every whole number is there

int digits_before_point(double value) {
  const double whole = std::round(std::abs(value));
  return whole >= 1 && whole <= largest_whole ? static_cast<int>(std::log10(whole)) + 1 : 0;
}

}  // namespace

std::string short_text(double value, int digits) {
  std::array<char, 32> text{};
  const int precision = std::max(digits, digits_before_point(value));
  return {text.data(), static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.*g", precision, value))};
}

int digits_apart(const std::vector<double>& values) {
  const auto read_alike = [&values](int digits) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[i] != values[i - 1] && short_text(values[i], digits) == short_text(values[i - 1], digits)) return true;
    }
    return false;
  };
  int digits = usual_digits;
  while (digits < all_digits && read_alike(digits))
    ++digits;
  return digits;
}

}  // namespace plugins::data
