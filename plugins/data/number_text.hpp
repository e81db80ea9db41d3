// Numbers for people to read. Pure functions.
#pragma once

#include <string>
#include <vector>

namespace plugins::data {

inline constexpr int usual_digits = 6;

// To so many significant digits, but what is before the point is written whole up to 2^53.
std::string short_text(double value, int digits = usual_digits);

// As many digits as neighbours need to read differently, from the usual ones to all 17 that a number has. Those that
// are equal cannot.
int digits_apart(const std::vector<double>& values);

}  // namespace plugins::data
