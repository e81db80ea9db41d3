#include "chart/canvas.hpp"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace plugins::chart {
namespace {

void require_ok(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("the picture could not be drawn: ") + cairo_status_to_string(status));
  }
}

void set_color(cairo_t* context, Color color) {
  const auto part = [&](unsigned shift) { return static_cast<double>((color.rgb >> shift) & 0xffU) / 0xff; };
  cairo_set_source_rgb(context, part(16), part(8), part(0));
}

}  // namespace

void keep_cairo_loaded() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&cairo_create), &library) == 0) return;
  // Never closed, which is its purpose.
  dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void Canvas::Destroy::operator()(cairo_t* context) const {
  cairo_destroy(context);
}

Canvas::Canvas(int width, int height) {
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  context_.reset(cairo_create(surface));
  cairo_surface_destroy(surface);  // the context holds it
  require_ok(cairo_status(context_.get()));
  box({0, 0, static_cast<double>(width), static_cast<double>(height)}, {0xffffff});
}

void Canvas::fill(Color color) {
  set_color(context_.get(), color);
  cairo_fill(context_.get());
}

void Canvas::box(const Box& box, Color color) {
  cairo_rectangle(context_.get(), box.left, box.top, box.width(), box.height());
  fill(color);
}

void Canvas::line(const std::vector<Point>& points, double width, Color color) {
  for (const Point& point : points)
    cairo_line_to(context_.get(), point.x, point.y);
  cairo_set_line_width(context_.get(), width);
  cairo_set_line_join(context_.get(), CAIRO_LINE_JOIN_ROUND);
  set_color(context_.get(), color);
  cairo_stroke(context_.get());
}

void Canvas::dot(Point centre, double radius, Color color) {
  constexpr double whole = 6.283185307179586;
  cairo_arc(context_.get(), centre.x, centre.y, radius, 0, whole);
  fill(color);
}

void Canvas::wedge(Point centre, double radius, double from, double to, Color color) {
  cairo_move_to(context_.get(), centre.x, centre.y);
  cairo_arc(context_.get(), centre.x, centre.y, radius, from, to);
  cairo_close_path(context_.get());
  fill(color);
}

void Canvas::set_font(double size) {
  cairo_select_font_face(context_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context_.get(), size);
}

void Canvas::text(std::string_view text, Point at, Align align, double size, Color color) {
  const double width = align == Align::left ? 0 : text_width(text, size);
  set_font(size);
  set_color(context_.get(), color);
  cairo_move_to(context_.get(), at.x - (align == Align::middle ? width / 2 : width), at.y);
  cairo_show_text(context_.get(), std::string(text).c_str());
  cairo_new_path(context_.get());
}

double Canvas::text_width(std::string_view text, double size) {
  set_font(size);
  cairo_text_extents_t extents;
  cairo_text_extents(context_.get(), std::string(text).c_str(), &extents);
  return extents.x_advance;
}

std::vector<std::uint8_t> Canvas::png() const {
  require_ok(cairo_status(context_.get()));
  std::vector<std::uint8_t> bytes;
  const auto append = [](void* all, const unsigned char* data, unsigned size) {
    auto& png = *static_cast<std::vector<std::uint8_t>*>(all);
    png.insert(png.end(), data, data + size);
    return CAIRO_STATUS_SUCCESS;
  };
  require_ok(cairo_surface_write_to_png_stream(cairo_get_target(context_.get()), append, &bytes));
  return bytes;
}

}  // namespace plugins::chart
