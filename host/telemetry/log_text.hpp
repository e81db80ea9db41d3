// What an event of the log, and its level, are as text. Free functions; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_text.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "telemetry/log.hpp"

namespace mcph {

inline constexpr std::array<std::string_view, 5> log_level_names{"trace", "debug", "info", "warning", "error"};

// Of one that a line can have.
inline std::string_view name_of(Log::Level level) {
  return log_level_names.at(static_cast<std::size_t>(level));
}

// Nothing: it is the name of none.
inline std::optional<Log::Level> log_level_named(std::string_view name) {
  const auto* const found = std::ranges::find(log_level_names, name);
  if (found == log_level_names.end()) return std::nullopt;
  return static_cast<Log::Level>(found - log_level_names.begin());
}

// The members of an object, "event" first; the field `without` is left out, and of long ones all but their beginning.
inline std::string json_members(std::string_view event, Log::Fields fields, std::string_view without = {},
                                std::size_t max_field_bytes = std::string_view::npos) {
  std::string line = R"("event":)";
  append_json_string(line, event);
  for (const auto& field : fields) {
    if (field.name == without) continue;
    line += ',';
    append_json_string(line, field.name);
    line += ':';
    if (field.is_number) {
      line += field.value;
    } else {
      append_json_string(line, field.value.size() <= max_field_bytes ? std::string_view(field.value)
                                                                     : utf8_prefix(field.value, max_field_bytes));
    }
  }
  return line;
}

// A line of the log as a JSON object: {"time", "level", "event", each field}; but for what json_members leaves out.
inline std::string json_line(Log::Level level, std::string_view event, Log::Fields fields,
                             std::size_t max_field_bytes = std::string_view::npos, std::string_view without = {}) {
  auto line = R"({"time":")" + precise_time_text(std::chrono::system_clock::now()) + R"(","level":")";
  line.append(name_of(level)).append(R"(",)").append(json_members(event, fields, without, max_field_bytes)) += '}';
  return line;
}

// Of such a line.
inline std::optional<Log::Level> level_of(std::string_view line) {
  constexpr std::string_view before = R"("level":")";
  const auto at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + before.size());
  return log_level_named(line.substr(0, line.find('"')));
}

}  // namespace mcph
