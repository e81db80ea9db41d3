// Server-sent events as the streamable HTTP transport uses them (WHATWG HTML, section 9.2). Free functions.
#pragma once

#include <string>
#include <string_view>

namespace mcph {

inline constexpr std::string_view heartbeat_comment = ":\n\n";

// One event. `message` is JSON without line breaks.
inline void append_event(std::string& text, std::string_view message) {
  text.append("event: message\ndata: ").append(message).append("\n\n");
}

}  // namespace mcph
