// Axes: where things lie in a chart of bars or lines. The labels share the width, the scale takes the height. A value,
// but for the chart, which must outlive it.
#pragma once

#include <string>

#include "chart/canvas.hpp"
#include "chart/chart.hpp"
#include "chart/scale.hpp"

namespace plugins::chart {

class Axes {
 public:
  /// Inside `room`, with what stands beside them.
  Axes(Canvas& canvas, const Chart& chart, const Box& room);

  void draw(Canvas& canvas) const;

  /// The width that belongs to one label.
  double slot() const { return plot_.width() / static_cast<double>(chart_.labels.size()); }
  double centre(std::size_t label) const { return plot_.left + (static_cast<double>(label) + 0.5) * slot(); }
  double height_of(double value) const { return plot_.bottom - scale_.place(value) * plot_.height(); }

 private:
  void draw_labels(Canvas& canvas) const;

  const Chart& chart_;
  Scale scale_;
  Box plot_;
};

/// The text, or as much of it as fits into the width and "...".
std::string fitting(Canvas& canvas, const std::string& text, double width, double size);

}  // namespace plugins::chart
