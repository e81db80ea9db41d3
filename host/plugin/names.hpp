// The names that plugins, tools and prompts may have (MCP 2025-11-25 and later, server/tools, "Tool Names").
#pragma once

#include <algorithm>
#include <string_view>

namespace mcph {

inline bool is_component_name(std::string_view name) {
  constexpr std::size_t longest = 128;
  return !name.empty() && name.size() <= longest && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

}  // namespace mcph
