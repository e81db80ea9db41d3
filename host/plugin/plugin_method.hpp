// What a plugin is asked: the methods of MCP that its invoke is given (mcp/plugin.h). Values and free functions; any
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mcph {

enum class PluginMethod : std::int32_t { tools_call, resources_read, prompts_get, completion_complete };
inline constexpr std::array<std::string_view, 4> plugin_method_names{"tools/call", "resources/read", "prompts/get",
                                                                     "completion/complete"};

constexpr std::string_view name_of(PluginMethod method) {
  return plugin_method_names.at(static_cast<std::size_t>(method));
}

}  // namespace mcph
