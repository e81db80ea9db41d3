// Legend: which name has which colour. A function of the names and of the room.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chart/canvas.hpp"

namespace plugins::chart {

struct LegendEntry {
  Point at;  // its upper left corner
  std::string text;
  std::optional<std::size_t> series;  // none: the text says how many names are left out, "+7"
};

inline constexpr double legend_text_size = 13;
inline constexpr double legend_line_height = 20;
inline constexpr double legend_swatch = 11;

/// One entry after another, in as many lines as it takes but no more than a third of the room.
std::vector<LegendEntry> legend_of(Canvas& canvas, const std::vector<std::string>& names, const Box& room);

}  // namespace plugins::chart
