// Points of time as text (RFC 3339). Free functions; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace mcph {

// In UTC, to the second: "2026-07-28T12:00:00Z".
std::string time_text(std::chrono::system_clock::time_point when);
// To the millisecond: "2026-07-28T12:00:00.123Z".
std::string precise_time_text(std::chrono::system_clock::time_point when);
// The same behind a text, without memory of its own.
void append_precise_time(std::string& out, std::chrono::system_clock::time_point when);
// What time_text writes, or a date alone, which is its beginning.
std::optional<std::chrono::system_clock::time_point> read_time(std::string_view text);

}  // namespace mcph
