// What plugins and their components may be called. Plain functions without state, callable from any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/utf8.hpp"

namespace mcph {

inline constexpr std::size_t max_name_size = 128;  // bytes

// The name of a plugin, or of a tool: what MCP 2025-11-25 and later say a tool's name SHOULD be (server/tools, "Tool
// Names") is a rule here, because clients make function names of it.
inline bool is_component_name(std::string_view name) {
  return !name.empty() && name.size() <= max_name_size && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

// The name of a prompt, for which MCP has no rule: any short text that can be shown on one line.
inline bool is_prompt_name(std::string_view name) {
  if (name.empty() || name.size() > max_name_size || !is_utf8(name)) return false;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const auto byte = static_cast<unsigned char>(name[at]);
    if (byte < 0x20 || byte == 0x7F) return false;
    // U+0080 to U+009F.
    if (byte == 0xC2 && static_cast<unsigned char>(name[at + 1]) < 0xA0) return false;
  }
  return true;
}

// What a plugin calls its version: any text that a log and a person can take.
inline bool is_version(std::string_view version) {
  return !version.empty() && version.size() <= max_name_size && is_utf8(version);
}

}  // namespace mcph
