// What a chart must be that its schema cannot say.
#pragma once

#include "chart/chart.hpp"

namespace plugins::chart {

/// Throws mcp::ToolError that names what is wrong and what to do.
void require_drawable(const Chart& chart);

}  // namespace plugins::chart
