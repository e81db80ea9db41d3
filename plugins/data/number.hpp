// Which texts of a table are numbers: those that JSON would have as numbers and that keep all of their digits. So
// "007", "+1", "0x1F", "inf" and integers of more than 64 bits are texts. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace plugins::data {

// monostate: no number.
using Number = std::variant<std::monostate, std::int64_t, double>;

Number number_of(std::string_view text);

}  // namespace plugins::data
