// Whether bytes are text in UTF-8: asked of everything that plugins and clients give as text and not as JSON, whose
// parser asks it itself. Plain functions without state, callable from any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace mcph {

// The bytes of the well-formed sequence that `text` begins with (table 3-7 of the Unicode standard), or 0.
inline std::size_t utf8_sequence_size(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return 0;
  // The second byte also rules out overlong forms, surrogates, and what lies beyond U+10FFFF.
  const auto lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const auto highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t at = 2; at < size; ++at) {
    if ((byte(at) & 0xC0) != 0x80) return 0;
  }
  return size;
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto size = utf8_sequence_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

// What `text` begins with: at most so many bytes, and no part of a character. Where there is no character to end with,
// because it is no UTF-8, it is cut anywhere.
inline std::string_view utf8_prefix(std::string_view text, std::size_t max_size) {
  constexpr std::size_t max_continuation_bytes = 3;
  if (text.size() <= max_size) return text;
  for (auto size = max_size; size > 0 && max_size - size <= max_continuation_bytes; --size) {
    if ((static_cast<unsigned char>(text[size]) & 0xC0) != 0x80) return text.substr(0, size);
  }
  return text.substr(0, max_size);
}

}  // namespace mcph
