#include "chart/setup.hpp"

#include <mcp/plugin/typed.hpp>

#include "chart/canvas.hpp"
#include "chart/chart.hpp"
#include "chart/checks.hpp"
#include "chart/picture.hpp"
#include "chart/summary.hpp"
#include "chart/view.hpp"

namespace plugins::chart {
namespace {

constexpr auto view_uri = "ui://chart/view";

mcp::ToolResult draw(const Chart& chart, const mcp::Context& context) {
  require_drawable(chart);
  mcp::ToolResult result;
  result.text(summary(chart)).structured(chart);
  // The view draws the same, and a picture costs a model as much as a page of text.
  if (!context.shows_apps()) result.content(mcp::image(picture(chart), "image/png"));
  return result;
}

}  // namespace

void setup(mcp::Plugin& plugin) {
  plugin.on_start(keep_cairo_loaded);
  plugin.app(view_uri, "chart_view", "Shows the result of draw_chart", view(), {.prefers_border = true})
      .title("Chart")
      .cache(std::chrono::hours(1), mcp::CacheScope::Public);
  plugin
      .tool("draw_chart", "Draws numbers as a chart of bars, lines or a pie, and shows it to the user.",
            [](const Chart& chart, mcp::Context& context) { return draw(chart, context); })
      .title("Draw a chart")
      .read_only()
      .idempotent()
      .open_world(false)
      .output<Chart>()
      .app(view_uri);
}

}  // namespace plugins::chart
