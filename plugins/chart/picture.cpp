#include "chart/picture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "chart/axes.hpp"
#include "chart/canvas.hpp"
#include "chart/legend.hpp"
#include "chart/palette.hpp"
#include "chart/scale.hpp"

namespace plugins::chart {
namespace {

constexpr double margin = 16;
constexpr double title_size = 18;

void draw_title(Canvas& canvas, const Chart& chart, Box& room) {
  if (chart.title.empty()) return;
  canvas.text(fitting(canvas, chart.title, room.width(), title_size),
              {(room.left + room.right) / 2, room.top + title_size}, Align::middle, title_size, text_color);
  room.top += title_size + margin;
}

void draw_legend(Canvas& canvas, const std::vector<std::string>& names, Box& room) {
  const auto entries = legend_of(canvas, names, room);
  for (const auto& [at, text, series] : entries) {
    const double top = at.y + 2;
    if (series) canvas.box({at.x, top, at.x + legend_swatch, top + legend_swatch}, series_color(*series));
    const double left = series ? at.x + 1.5 * legend_swatch : at.x;
    canvas.text(text, {left, at.y + legend_swatch + 1}, Align::left, legend_text_size, text_color);
  }
  if (!entries.empty()) room.top = entries.back().at.y + legend_line_height + margin / 2;
}

std::vector<std::string> series_names(const Chart& chart) {
  std::vector<std::string> names;
  for (const auto& series : chart.series)
    names.push_back(series.name.value_or("Series " + std::to_string(names.size() + 1)));
  return names;
}

void draw_bars(Canvas& canvas, const Chart& chart, const Axes& axes) {
  constexpr double filled = 0.8;  // of the room for a label
  const double width = axes.slot() * filled / static_cast<double>(chart.series.size());
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    for (std::size_t i = 0; i < chart.labels.size(); ++i) {
      const double left = axes.centre(i) - axes.slot() * filled / 2 + static_cast<double>(s) * width;
      const double end = axes.height_of(chart.series[s].values[i]);
      const double zero = axes.height_of(0);
      canvas.box({left, std::min(end, zero), left + width, std::max(end, zero)}, series_color(s));
    }
  }
}

void draw_lines(Canvas& canvas, const Chart& chart, const Axes& axes) {
  constexpr std::size_t max_with_dots = 40;
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < chart.labels.size(); ++i)
      points.push_back({axes.centre(i), axes.height_of(chart.series[s].values[i])});
    canvas.line(points, 2.5, series_color(s));
    if (points.size() > max_with_dots) continue;
    for (const Point& point : points)
      canvas.dot(point, 3.5, series_color(s));
  }
}

// In the middle of a wedge.
void draw_percent(Canvas& canvas, double part, double angle, Point centre, double radius, Color background) {
  constexpr double outwards = 0.7;
  const Point at{centre.x + std::cos(angle) * radius * outwards,
                 centre.y + std::sin(angle) * radius * outwards + legend_text_size / 3};
  canvas.text(number_text(std::round(part * 1000) / 10) + "%", at, Align::middle, legend_text_size,
              text_color_on(background));
}

void draw_pie(Canvas& canvas, const Chart& chart, const Box& room) {
  constexpr double whole = 6.283185307179586;
  constexpr double narrowest_with_label = 0.05;
  const auto& values = chart.series.front().values;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const Point centre{(room.left + room.right) / 2, (room.top + room.bottom) / 2};
  const double radius = std::max(1.0, std::min(room.width(), room.height()) / 2);
  double from = -whole / 4;  // twelve o'clock
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double part = values[i] / sum;
    const double to = from + part * whole;
    if (part > 0) canvas.wedge(centre, radius, from, to, series_color(i));
    if (part >= narrowest_with_label) draw_percent(canvas, part, (from + to) / 2, centre, radius, series_color(i));
    from = to;
  }
}

}  // namespace

std::vector<std::uint8_t> picture(const Chart& chart) {
  Canvas canvas(chart.width, chart.height);
  Box room{margin, margin, chart.width - margin, chart.height - margin};
  draw_title(canvas, chart, room);
  if (chart.kind == Kind::pie) {
    draw_legend(canvas, chart.labels, room);
    draw_pie(canvas, chart, room);
    return canvas.png();
  }
  if (chart.series.size() > 1 || chart.series.front().name) draw_legend(canvas, series_names(chart), room);
  const Axes axes(canvas, chart, room);
  axes.draw(canvas);
  chart.kind == Kind::bar ? draw_bars(canvas, chart, axes) : draw_lines(canvas, chart, axes);
  return canvas.png();
}

}  // namespace plugins::chart
