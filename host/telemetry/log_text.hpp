// What an event of the log is as JSON. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/json_text.hpp"
#include "telemetry/log.hpp"

namespace mcph {

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
