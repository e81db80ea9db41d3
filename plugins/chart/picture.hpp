// A chart as a picture.
#pragma once

#include <cstdint>
#include <vector>

#include "chart/chart.hpp"

namespace plugins::chart {

/// PNG of the chart's own size. The chart is drawable (checks.hpp).
std::vector<std::uint8_t> picture(const Chart& chart);

}  // namespace plugins::chart
