// Moment: one moment as the clocks of one zone show it, as the tools answer it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <mcp/plugin/typed.hpp>

#include "clock/time_zone.hpp"

namespace plugins::clock {

using Milliseconds = std::chrono::sys_time<std::chrono::milliseconds>;

struct Moment {
  std::string time;
  std::string zone;
  std::string utc;
  std::int64_t unix_seconds = 0;
  std::string offset;
  std::string abbreviation;
  bool daylight_saving = false;
  std::string weekday;
  static constexpr auto fields() {
    return std::tuple{mcp::field("time", &Moment::time, "ISO 8601, in the zone, with its offset"),
                      mcp::field("zone", &Moment::zone),
                      mcp::field("utc", &Moment::utc, "The same moment in UTC"),
                      mcp::field("unix_seconds", &Moment::unix_seconds, "Seconds since 1970-01-01T00:00:00Z"),
                      mcp::field("offset", &Moment::offset, "From UTC"),
                      mcp::field("abbreviation", &Moment::abbreviation),
                      mcp::field("daylight_saving", &Moment::daylight_saving),
                      mcp::field("weekday", &Moment::weekday)};
  }
};

// Throws mcp::ToolError outside of the years 0001 to 9999.
Moment moment_in(const TimeZone& zone, Milliseconds time);

}  // namespace plugins::clock
