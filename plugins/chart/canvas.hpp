// Canvas: a picture that is drawn with shapes and texts and then written as PNG, on top of Cairo. A resource with one
// owner, for one thread. Points are pixels from the top left.
#pragma once

#include <cairo.h>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace plugins::chart {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

struct Color {
  std::uint32_t rgb = 0;  // 0xRRGGBB
};

enum class Align { left, middle, right };

/// Keeps Cairo in the process, whatever becomes of this plugin. It and the libraries below it hold fonts until the
/// process ends, and would leave them behind, about a megabyte, each time that they are loaded anew.
void keep_cairo_loaded();

class Canvas {
 public:
  /// White. Throws std::runtime_error if there is no memory for it.
  Canvas(int width, int height);

  void box(const Box& box, Color color);
  void line(const std::vector<Point>& points, double width, Color color);
  void dot(Point centre, double radius, Color color);
  /// Part of a disc, from one angle to another: radians, clockwise from three o'clock.
  void wedge(Point centre, double radius, double from, double to, Color color);

  /// `at` is on the line that the letters stand on.
  void text(std::string_view text, Point at, Align align, double size, Color color);
  double text_width(std::string_view text, double size);

  std::vector<std::uint8_t> png() const;

 private:
  struct Destroy {
    void operator()(cairo_t* context) const;
  };
  void fill(Color color);
  void set_font(double size);

  std::unique_ptr<cairo_t, Destroy> context_;
};

}  // namespace plugins::chart
