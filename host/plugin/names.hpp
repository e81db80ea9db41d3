// The names that plugins, tools and prompts may have (MCP 2025-11-25 and later, server/tools, "Tool Names").
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "plugin/utf8.hpp"

namespace mcph {

inline constexpr std::size_t longest_name_size = 128;  // bytes

inline bool is_component_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name_size && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

// What a plugin calls its version: any text that a log and a person can take.
inline bool is_version(std::string_view version) {
  return !version.empty() && version.size() <= longest_name_size && is_utf8(version);
}

}  // namespace mcph
