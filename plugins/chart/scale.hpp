// Scale: the round numbers beside an axis. A value.
#pragma once

#include <string>
#include <vector>

namespace plugins::chart {

struct Scale {
  double low = 0;
  double high = 1;
  double step = 0.2;

  std::vector<double> ticks() const;
  /// A tick with as many digits as tell it from its neighbours.
  std::string tick_text(double tick) const;
  /// Where a value lies between low, 0, and high, 1.
  double place(double value) const { return (value - low) / (high - low); }
};

/// Covers both numbers, and 0 if `from_zero`, with at most `max_steps` round steps.
Scale scale_of(double smallest, double largest, bool from_zero, int max_steps);

/// A number for people: six digits, no more than it needs; what is before the point whole.
std::string number_text(double value);

}  // namespace plugins::chart
