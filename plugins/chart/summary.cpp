#include "chart/summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chart/scale.hpp"

namespace plugins::chart {
namespace {

std::string title_line(const Chart& chart) {
  const char* kind = chart.kind == Kind::bar ? "Bar chart" : chart.kind == Kind::line ? "Line chart" : "Pie chart";
  return chart.title.empty() ? kind : std::string(kind) + ": " + chart.title;
}

std::string series_line(const Chart& chart, const Series& series) {
  const auto [low, high] = std::minmax_element(series.values.begin(), series.values.end());
  const auto value_at = [&](auto place) {
    return number_text(*place) + " (" + chart.labels[static_cast<std::size_t>(place - series.values.begin())] + ')';
  };
  const double sum = std::accumulate(series.values.begin(), series.values.end(), 0.0);
  const auto count = static_cast<double>(series.values.size());
  return (series.name ? *series.name + ": " : std::string()) + std::to_string(series.values.size()) + " values from " +
         value_at(low) + " to " + value_at(high) + ", average " + number_text(sum / count) + ", sum " +
         number_text(sum);
}

std::string part_lines(const Chart& chart) {
  const auto& values = chart.series.front().values;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::string lines;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double percent = std::round(values[i] / sum * 1000) / 10;
    lines += '\n' + chart.labels[i] + ": " + number_text(values[i]) + " (" + number_text(percent) + "%)";
  }
  return lines;
}

}  // namespace

std::string summary(const Chart& chart) {
  std::string text = title_line(chart);
  if (chart.kind == Kind::pie) return text + part_lines(chart);
  for (const auto& series : chart.series)
    text += '\n' + series_line(chart, series);
  return text;
}

}  // namespace plugins::chart
