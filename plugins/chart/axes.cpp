#include "chart/axes.hpp"

#include <algorithm>
#include <cmath>

#include "chart/palette.hpp"

namespace plugins::chart {
namespace {

constexpr double text_size = 12;
constexpr double gap = 6;

Scale scale_of_values(const Chart& chart, double height) {
  constexpr double between_ticks = 45;
  double smallest = chart.series.front().values.front();
  double largest = smallest;
  for (const auto& series : chart.series) {
    const auto [low, high] = std::minmax_element(series.values.begin(), series.values.end());
    smallest = std::min(smallest, *low);
    largest = std::max(largest, *high);
  }
  const int max_steps = std::clamp(static_cast<int>(height / between_ticks), 2, 10);
  // The length of a bar means its value only from 0 on.
  return scale_of(smallest, largest, chart.kind == Kind::bar, max_steps);
}

double widest_tick(Canvas& canvas, const Scale& scale) {
  double widest = 0;
  for (const double tick : scale.ticks())
    widest = std::max(widest, canvas.text_width(scale.tick_text(tick), text_size));
  return widest;
}

bool is_inside_a_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

Axes::Axes(Canvas& canvas, const Chart& chart, const Box& room)
    : chart_(chart), scale_(scale_of_values(chart, room.height())), plot_(room) {
  plot_.left += widest_tick(canvas, scale_) + gap;
  plot_.top += text_size / 2;
  plot_.bottom -= text_size + gap;
}

void Axes::draw(Canvas& canvas) const {
  for (const double tick : scale_.ticks()) {
    const double y = height_of(tick);
    canvas.line({{plot_.left, y}, {plot_.right, y}}, 1, tick == 0 ? axis_color : grid_color);
    canvas.text(scale_.tick_text(tick), {plot_.left - gap, y + text_size / 3}, Align::right, text_size, text_color);
  }
  draw_labels(canvas);
}

// As many as find room without touching one another: every one, every second, and so on.
void Axes::draw_labels(Canvas& canvas) const {
  constexpr double narrowest = 45;
  const auto every = static_cast<std::size_t>(std::ceil(std::min(narrowest, plot_.width()) / slot()));
  const double width = static_cast<double>(std::max<std::size_t>(every, 1)) * slot() - gap;
  for (std::size_t i = 0; i < chart_.labels.size(); i += std::max<std::size_t>(every, 1)) {
    canvas.text(fitting(canvas, chart_.labels[i], width, text_size), {centre(i), plot_.bottom + text_size + gap / 2},
                Align::middle, text_size, text_color);
  }
}

std::string fitting(Canvas& canvas, const std::string& text, double width, double size) {
  if (canvas.text_width(text, size) <= width) return text;
  std::string shorter = text;
  while (!shorter.empty()) {
    while (is_inside_a_character(shorter.back()))
      shorter.pop_back();
    shorter.pop_back();
    if (canvas.text_width(shorter + "...", size) <= width) return shorter + "...";
  }
  return shorter;
}

}  // namespace plugins::chart
