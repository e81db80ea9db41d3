// Events of the log that more than one place must know by name.
#pragma once

#include <string_view>

namespace mcph {

// A line that a plugin has printed; the field "text" has it.
inline constexpr std::string_view plugin_output = "plugin output";

// The process of a plugin has ended by itself; the field "next" says when the next one is started.
inline constexpr std::string_view plugin_crashed = "plugin crashed";

// A file that is not served; the field "next" says when it is tried again.
inline constexpr std::string_view plugin_refused = "plugin refused";

}  // namespace mcph
