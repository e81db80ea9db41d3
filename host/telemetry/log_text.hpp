// What an event of the log, and its level, are as text. Free functions; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_text.hpp"
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

// The members of an object, "event" first; the field `without` is left out.
inline std::string json_members(std::string_view event, Log::Fields fields, std::string_view without = {}) {
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
      append_json_string(line, field.value);
    }
  }
  return line;
}

}  // namespace mcph
