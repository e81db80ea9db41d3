// Text between Python and C: what Python says, borrowed for a call of the host, and what the host writes into a sink.
#pragma once

#include <pybind11/pybind11.h>
#include <string>
#include <string_view>

#include <mcp/plugin.h>

namespace plugins::python {

// A str of Python as UTF-8. Half a surrogate pair, which is no text, becomes a question mark. With the interpreter's
// lock.
inline std::string utf8(const pybind11::str& text) {
  const pybind11::bytes bytes = text.attr("encode")("utf-8", "replace");
  return std::string(bytes);
}

inline mcp_string borrowed(std::string_view text) {
  return {text.data(), text.size()};
}

// What is written into it goes into `text`.
inline mcp_sink sink_into(std::string& text) {
  return {&text, [](void* context, mcp_string piece) noexcept {
            static_cast<std::string*>(context)->append(piece.data, piece.size);
          }};
}

}  // namespace plugins::python
