#include "data/chart_svg.hpp"

#include <algorithm>
#include <cmath>

namespace plugins::data {
namespace {

constexpr int chart_width = 640;
constexpr int label_width = 200;
constexpr int row_height = 24;
constexpr int top = 48;
constexpr std::size_t max_label_bytes = 28;

std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : text) {
    switch (c) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      case '"':
        xml += "&quot;";
        break;
      default:
        // XML has no control characters.
        xml += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return xml;
}

std::string shortened(std::string_view text) {
  if (text.size() <= max_label_bytes) return std::string(text);
  std::size_t end = max_label_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80)
    --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string text_at(int x, int y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" text-anchor=\"" + std::string(anchor) +
         "\">" + escaped(text) + "</text>";
}

}  // namespace

std::string chart_svg(std::string_view title, const std::vector<Bar>& bars) {
  double largest = 0;
  for (const auto& bar : bars)
    largest = std::max(largest, bar.value);
  const int height = top + static_cast<int>(bars.size()) * row_height + 12;
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(chart_width) +
                    "\" height=\"" + std::to_string(height) +
                    "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">";
  svg += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>" + text_at(chart_width / 2, 24, "middle", title);
  int y = top;
  for (const auto& bar : bars) {
    constexpr int most = chart_width - label_width - 90;
    const auto length = largest > 0 ? static_cast<int>(std::lround(bar.value / largest * most)) : 0;
    svg += text_at(label_width - 8, y + 14, "end", shortened(bar.label));
    svg += "<rect x=\"" + std::to_string(label_width) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
           std::to_string(length) + "\" height=\"18\" fill=\"#3366cc\"/>";
    svg += text_at(label_width + length + 6, y + 14, "start", std::to_string(std::llround(bar.value)));
    y += row_height;
  }
  return svg + "</svg>";
}

}  // namespace plugins::data
