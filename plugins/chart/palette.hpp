// The colours of the pictures: of the series one after another, told apart also by those who see fewer colours, and of
// all around them. view/drawing.js has the same.
#pragma once

#include <array>
#include <cstddef>

#include "chart/canvas.hpp"

namespace plugins::chart {

inline constexpr Color text_color{0x333333};
inline constexpr Color axis_color{0x888888};
inline constexpr Color grid_color{0xdddddd};

constexpr Color series_color(std::size_t i) {
  constexpr std::array<Color, 10> colors{{{0x4477aa},
                                          {0xee6677},
                                          {0x228833},
                                          {0xccbb44},
                                          {0x66ccee},
                                          {0xaa3377},
                                          {0xee8866},
                                          {0x44bb99},
                                          {0x7a7a7a},
                                          {0x994f00}}};
  return colors[i % colors.size()];
}

/// Of words on one of these colours.
constexpr Color text_color_on(Color background) {
  constexpr std::uint32_t light = 140;
  const auto part = [&](unsigned shift) { return (background.rgb >> shift) & 0xffU; };
  const std::uint32_t luminance = (299 * part(16) + 587 * part(8) + 114 * part(0)) / 1000;
  return luminance > light ? Color{0x222222} : Color{0xffffff};
}

}  // namespace plugins::chart
