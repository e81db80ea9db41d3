// Events of the log that more than one place must know by name.
#pragma once

#include <string_view>

namespace mcph {

// A line that a plugin has printed; the field "text" has it.
inline constexpr std::string_view plugin_output = "plugin output";

// The process of a plugin has ended by itself; the field "next" says when the next one is started.
inline constexpr std::string_view plugin_crashed = "plugin crashed";

// There is no process of a plugin, for a reason that is not its own and may pass; "next" says the same.
inline constexpr std::string_view plugin_cannot_start = "plugin cannot start";

// It did not come back from its stop, or crashed in it.
inline constexpr std::string_view plugin_stopped_badly = "plugin did not stop well";

// A file that is not served; the field "next" says when it is tried again.
inline constexpr std::string_view plugin_refused = "plugin refused";

}  // namespace mcph
