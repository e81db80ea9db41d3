// Times as ISO 8601 writes them, in the years 0001 to 9999. Pure functions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace plugins::clock {

struct IsoTime {
  std::chrono::local_seconds time;
  std::chrono::milliseconds fraction{0};       // finer digits are cut off
  std::optional<std::chrono::seconds> offset;  // from UTC, if the text says one
};

// "2026-03-29", "2026-03-29T02:30", "2026-03-29 02:30:15.250+02:00", "2026-03-29T02:30Z". Throws mcp::ToolError
// that says what is expected and where the text is different.
IsoTime parse_iso_time(std::string_view text);

// "2026-03-29T02:30:15", and ".250" if there is a fraction. Throws mcp::ToolError outside of the years that can
// be written.
std::string iso_text(std::chrono::local_seconds time, std::chrono::milliseconds fraction);

// "+02:00", and with seconds where there are any: "-00:25:21".
std::string offset_text(std::chrono::seconds offset);

}  // namespace plugins::clock
