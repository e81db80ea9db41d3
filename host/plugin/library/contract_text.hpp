// Text of the contract as the host has it. Nothing is copied.
#pragma once

#include <cstddef>
#include <string_view>

#include <mcp/plugin.h>

namespace mcph {

inline mcp_string as_mcp(std::string_view text) {
  return {text.data(), text.size()};
}

// A plugin may give no text at all.
inline std::string_view view(mcp_string text) {
  return text.data == nullptr ? std::string_view{} : std::string_view(text.data, static_cast<std::size_t>(text.size));
}

}  // namespace mcph
