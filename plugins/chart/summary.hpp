// A chart in words, for models and for clients that show no pictures.
#pragma once

#include <string>

#include "chart/chart.hpp"

namespace plugins::chart {

std::string summary(const Chart& chart);

}  // namespace plugins::chart
