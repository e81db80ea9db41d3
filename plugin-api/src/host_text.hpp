// Text across the C boundary: C strings as views and back, and what the host writes into a sink.
#pragma once

#include <string>
#include <string_view>

#include <mcp/plugin.h>

namespace mcp::detail {

inline std::string_view view(mcp_string text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

inline mcp_string borrowed(std::string_view text) {
  return {text.data(), text.size()};
}

inline void write(const mcp_sink* sink, std::string_view text) {
  if (sink) sink->write(sink->context, borrowed(text));
}

/// What `ask` makes the host write.
template <class Ask>
std::string answer_of_host(const Ask& ask) {
  std::string text;
  const mcp_sink sink{
      &text, [](void* context, mcp_string piece) noexcept { static_cast<std::string*>(context)->append(view(piece)); }};
  ask(&sink);
  return text;
}

}  // namespace mcp::detail
