#include "chart/legend.hpp"

#include <utility>

#include "chart/axes.hpp"

namespace plugins::chart {
namespace {

constexpr double between_entries = 16;
constexpr double before_name = 2 * legend_swatch;

std::string fitting_name(Canvas& canvas, const std::string& name, double width) {
  return fitting(canvas, name, width - before_name, legend_text_size);
}

double end_of(Canvas& canvas, const LegendEntry& entry) {
  return entry.at.x + before_name + canvas.text_width(entry.text, legend_text_size);
}

// Where the last line has no room for it, the last name gives way; one that has a line for itself becomes shorter.
void add_how_many_more(Canvas& canvas, const std::vector<std::string>& names, const Box& room,
                       std::vector<LegendEntry>& entries) {
  for (;;) {
    const std::string more = "+" + std::to_string(names.size() - entries.size());
    const double taken = between_entries + canvas.text_width(more, legend_text_size);
    auto& last = entries.back();
    const bool fits = end_of(canvas, last) + taken <= room.right;
    if (!fits && last.at.x > room.left) {
      entries.pop_back();
      continue;
    }
    if (!fits) last.text = fitting_name(canvas, names[entries.size() - 1], room.width() - taken);
    const Point at{end_of(canvas, last) + between_entries, last.at.y};
    entries.push_back({at, more, std::nullopt});
    return;
  }
}

}  // namespace

std::vector<LegendEntry> legend_of(Canvas& canvas, const std::vector<std::string>& names, const Box& room) {
  const double limit = room.top + room.height() / 3;
  std::vector<LegendEntry> entries;
  Point at{room.left, room.top};
  for (std::size_t i = 0; i < names.size(); ++i) {
    LegendEntry entry{at, fitting_name(canvas, names[i], room.width()), i};
    if (at.x > room.left && end_of(canvas, entry) > room.right) entry.at = {room.left, at.y + legend_line_height};
    if (entry.at.y + legend_line_height > limit) break;
    at = {end_of(canvas, entry) + between_entries, entry.at.y};
    entries.push_back(std::move(entry));
  }
  if (!entries.empty() && entries.size() < names.size()) add_how_many_more(canvas, names, room, entries);
  return entries;
}

}  // namespace plugins::chart
