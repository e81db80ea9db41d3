// ZoneData: what a file of the time zone database says, in the format TZif (RFC 8536). A value.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "clock/posix_rule.hpp"

namespace plugins::clock {

struct ZoneData {
  struct Transition {
    std::chrono::sys_seconds at;
    std::size_t offset;  // index into `offsets`
  };

  std::vector<Transition> transitions;  // in the order of time
  std::vector<Offset> offsets;          // never empty; the first is the one before all transitions
  std::optional<PosixRule> rule;        // for the time after the last transition
};

// Checks every count and index before it is used. Throws std::runtime_error that says what is wrong.
ZoneData parse_zone_data(std::string_view file);

}  // namespace plugins::clock
