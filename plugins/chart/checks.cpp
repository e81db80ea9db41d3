#include "chart/checks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <mcp/plugin/error.hpp>

#include "shared/text.hpp"

namespace plugins::chart {
namespace {

constexpr std::size_t max_label = 200;
constexpr double largest_value = 1e15;  // so that no sum and no difference overflows

std::string called(const Chart& chart, const Series& series) {
  if (series.name) return "series \"" + *series.name + '"';
  return "series " + std::to_string(&series - chart.series.data() + 1);
}

void require_values(const Chart& chart, const Series& series) {
  if (series.values.size() != chart.labels.size()) {
    throw mcp::ToolError(called(chart, series) + " has " + std::to_string(series.values.size()) + " values for " +
                         std::to_string(chart.labels.size()) + " labels; give one value for each label");
  }
  const auto is_too_large = [](double value) { return std::abs(value) > largest_value; };
  if (std::any_of(series.values.begin(), series.values.end(), is_too_large)) {
    throw mcp::ToolError(called(chart, series) + " has a value beyond 1e15; give the numbers in a larger unit");
  }
}

void require_pie(const Chart& chart) {
  if (chart.series.size() != 1) {
    throw mcp::ToolError("a pie has one series, not " + std::to_string(chart.series.size()) + "; draw several as bars");
  }
  const auto& values = chart.series.front().values;
  if (std::any_of(values.begin(), values.end(), [](double value) { return value < 0; })) {
    throw mcp::ToolError("a pie cannot show negative values; draw them as bars");
  }
  if (std::accumulate(values.begin(), values.end(), 0.0) == 0) {
    throw mcp::ToolError("a pie needs a value that is not 0");
  }
}

}  // namespace

void require_drawable(const Chart& chart) {
  for (const auto& label : chart.labels) {
    if (label.size() > max_label) {
      auto begin = label.substr(0, 20);
      drop_half_character(begin);
      throw mcp::ToolError("the label \"" + begin + "...\" is longer than " + std::to_string(max_label) +
                           " bytes; shorten it");
    }
  }
  if (chart.series.empty() || chart.labels.empty()) throw mcp::ToolError("a chart has a series and a label");
  for (const auto& series : chart.series)
    require_values(chart, series);
  if (chart.kind == Kind::pie) require_pie(chart);
}

}  // namespace plugins::chart
