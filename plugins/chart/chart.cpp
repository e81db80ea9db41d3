// chart: the tool draw_chart draws the numbers that it is given, as bars, lines or a pie. A client that has MCP Apps
// shows them in a page, ui://chart/view, which it can resize and which follows its colours; every other gets a picture
// in PNG, because that is what models see and clients show. Both get the numbers and a summary in words.
#include <mcp/plugin/typed.hpp>

#include "chart/setup.hpp"

MCP_PLUGIN("chart", "1.0.0", plugins::chart::setup,
           mcp::About{.vendor = "mcp-plugin-host", .description = "Draws numbers as bars, lines or a pie."})
