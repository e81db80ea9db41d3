// The functions and constants that an expression can name. Tables that never change: any thread may use them.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace plugins::calculator {

inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

struct Function {
  std::string_view name;
  std::size_t min_arguments;
  std::size_t max_arguments;
  // Given finite numbers, as many as allowed. Not a number where the function is not defined, infinite where its value
  // is too large.
  double (*value)(std::span<const double> arguments);
};

// Null if there is none.
const Function* find_function(std::string_view name);

std::optional<double> find_constant(std::string_view name);

// All of them, with commas.
std::string function_names();

// To so many digits after the point, as the function round does it: halves of the decimal number away from zero.
double rounded(double value, int digits);

// As few digits as tell the number from every other.
std::string shortest_text(double value);

}  // namespace plugins::calculator
