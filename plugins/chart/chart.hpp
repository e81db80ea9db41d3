// Chart: what is to be drawn. A value; what a tool is given and gives back.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <mcp/plugin/typed.hpp>

namespace plugins::chart {

enum class Kind { bar, line, pie };

constexpr auto mcp_enum(Kind) {
  return mcp::enum_names<Kind>({{Kind::bar, "bar"}, {Kind::line, "line"}, {Kind::pie, "pie"}});
}

struct Series {
  std::optional<std::string> name;
  std::vector<double> values;

  static constexpr std::size_t max_values = 200;
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &Series::name, "For the legend").max_length(60),
                      mcp::field("values", &Series::values, "One number for each label, in their order")
                          .min_items(1)
                          .max_items(max_values)};
  }
};

struct Chart {
  Kind kind = Kind::bar;
  std::string title;
  std::vector<std::string> labels;
  std::vector<Series> series;
  int width = 800;
  int height = 500;

  static constexpr auto fields() {
    return std::tuple{
        mcp::field("kind", &Chart::kind, "bar to compare, line for a development, pie for parts of a whole"),
        mcp::field("title", &Chart::title, "What the chart shows, with the unit").max_length(120).default_value(""),
        mcp::field("labels", &Chart::labels, "What each number stands for: categories, or places on the x axis")
            .min_items(1)
            .max_items(Series::max_values),
        mcp::field("series", &Chart::series, "The numbers; a pie has one series").min_items(1).max_items(10),
        mcp::field("width", &Chart::width, "Of the picture, in pixels").min(200).max(2000).default_value(800),
        mcp::field("height", &Chart::height, "Likewise").min(150).max(2000).default_value(500)};
  }
};

}  // namespace plugins::chart
