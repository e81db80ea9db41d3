// Server-sent events as the streamable HTTP transport uses them (WHATWG HTML, section 9.2). Free functions.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace mcph {

inline constexpr std::string_view heartbeat_comment = ":\n\n";

// One event. `message` is JSON without line breaks.
inline void append_event(std::string& text, std::string_view message) {
  text.append("event: message\ndata: ").append(message).append("\n\n");
}
// The same with an id by which a client can ask for what came after it.
inline void append_event(std::string& text, std::string_view id, std::string_view message) {
  append_event(text.append("id: ").append(id).append("\n"), message);
}

// Where a client of the transport of 2024-11-05 sends its messages.
inline void append_endpoint_event(std::string& text, std::string_view uri) {
  text.append("event: endpoint\ndata: ").append(uri).append("\n\n");
}

// What tells a client by which id to ask, and after how long, before there is a message (2025-11-25, basic/transports).
inline void append_priming_event(std::string& text, std::string_view id, std::chrono::milliseconds retry) {
  text.append("id: ").append(id).append("\nretry: ").append(std::to_string(retry.count())).append("\ndata: \n\n");
}

}  // namespace mcph
