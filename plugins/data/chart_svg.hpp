// A chart of bars as an SVG image, without scripts, links or fonts of its own. A pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plugins::data {

struct Bar {
  std::string label;
  double value = 0;  // not negative
};

std::string chart_svg(std::string_view title, const std::vector<Bar>& bars);

}  // namespace plugins::data
