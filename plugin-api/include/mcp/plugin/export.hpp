// MCP_PLUGIN(name, version, setup) makes a library a plugin: it defines the one symbol that the host looks for. Write
// it once, at namespace scope. `setup` is a function void(mcp::Plugin&); what it throws is why the plugin is refused.
// Flags of mcp/plugin.h may follow: MCP_PLUGIN("notes", "1.0.0", setup, MCP_PLUGIN_SERIAL | MCP_PLUGIN_NEVER_UNLOAD).
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <mcp/plugin.h>
#include <mcp/plugin/instance.hpp>

namespace mcp::detail {

using Setup = void (*)(Plugin&);

/// Null after writing the reason to `error`.
void* create_instance(Setup setup, const mcp_host* host, const mcp_sink* error) noexcept;
void* create_instance(const std::function<void(Plugin&)>& setup, const mcp_host* host, const mcp_sink* error) noexcept;

// The other functions of the table, which are the same for every plugin.
void describe_instance(void* self, const mcp_sink* sink) noexcept;
std::int32_t start_instance(void* self, const mcp_sink* error) noexcept;
void invoke_instance(void* self, mcp_call_id call, mcp_string method, mcp_string params) noexcept;
void cancel_instance(void* self, mcp_call_id call, std::int32_t reason) noexcept;
void stop_instance(void* self) noexcept;

template <Setup setup>
void* create(const mcp_host* host, const mcp_sink* error) {
  return create_instance(setup, host, error);
}

constexpr bool is_plugin_name(std::string_view name) {
  for (const char c : name) {
    const bool allowed =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (!allowed) return false;
  }
  return !name.empty() && name.size() <= 128;
}

constexpr mcp_string c_string(std::string_view text) {
  return {text.data(), text.size()};
}

constexpr mcp_plugin plugin_table(std::string_view name, std::string_view version, std::uint32_t flags,
                                  void* (*create)(const mcp_host*, const mcp_sink*)) {
  mcp_plugin table{};
  table.size = sizeof(mcp_plugin);
  table.flags = flags;
  table.name = c_string(name);
  table.version = c_string(version);
  table.create = create;
  table.describe = describe_instance;
  table.start = start_instance;
  table.invoke = invoke_instance;
  table.cancel = cancel_instance;
  table.stop = stop_instance;
  return table;
}

}  // namespace mcp::detail

#define MCP_PLUGIN(name, version, setup, ...)                                                                      \
  extern "C" MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {                                       \
    static_assert(::mcp::detail::is_plugin_name(name),                                                             \
                  "mcp: the name of a plugin is 1 to 128 characters of A-Z a-z 0-9 _ . -");                        \
    static constexpr mcp_plugin table =                                                                            \
        ::mcp::detail::plugin_table(name, version, 0U __VA_OPT__(| (__VA_ARGS__)), &::mcp::detail::create<setup>); \
    return &table;                                                                                                 \
  }
