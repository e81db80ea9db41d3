// clock: what time it is, and what a time in one zone is in another.
//
//   now {"zone": "Europe/Berlin"}                or   get_time {"timezone": "Europe/Berlin"}
//   convert_time {"time": "2026-03-29T02:30", "from": "Europe/Berlin", "to": "Asia/Tokyo"}
//   time_zones {"filter": "berlin"}
//
// Zones are those of the IANA database, as the operating system has it (package tzdata): read anew for each call, so
// that an update of the system counts at once. Where clocks are put forward or back, the result says so and which
// reading of the time was taken. clock.json beside the plugin can name another folder: {"zoneinfo":
// "/usr/share/zoneinfo"}.
//
// The database is read here and not by a library: Debian has Howard Hinnant's date and Google's cctz as shared
// libraries only, and a plugin should need nothing but itself.
#include <mcp/plugin/typed.hpp>

#include "clock/setup.hpp"

MCP_PLUGIN("clock", "1.0.0", plugins::clock::setup,
           mcp::About{.vendor = "mcp-plugin-host",
                      .description = "Tells the time, and what a time in one zone is in another."})
