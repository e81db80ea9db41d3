// MCP_PLUGIN(name, version, setup) makes a library a plugin: it defines the one symbol that the host looks for. Write
// it once, at namespace scope. `setup` is a function void(mcp::Plugin&); what it throws is why the plugin is refused.
// What may follow, in any order: flags of mcp/plugin.h, and what the plugin says of itself:
//
//     MCP_PLUGIN("notes", "1.0.0", setup, MCP_PLUGIN_SERIAL | MCP_PLUGIN_NEVER_UNLOAD,
//                mcp::About{.id = "org.example.notes", .vendor = "Example", .url = "https://example.org/notes"})
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>

#include <mcp/plugin.h>
#include <mcp/plugin/instance.hpp>

namespace mcp {

/// What a plugin says of itself beside its name and version, for people and their lists. Each may be empty.
struct About {
  std::string_view id = {};           ///< no other plugin's, of the characters of a name: "org.example.notes"
  std::string_view vendor = {};       ///< who makes it; up to 128 bytes
  std::string_view description = {};  ///< what it is for; up to 1024 bytes
  std::string_view url = {};          ///< where to read about it: http:// or https://; up to 1024 bytes
};

namespace detail {

using Setup = void (*)(Plugin&);

/// Null after writing the reason to `error`.
void* create_instance(Setup setup, const mcp_host* host, const mcp_sink* error) noexcept;
void* create_instance(const std::function<void(Plugin&)>& setup, const mcp_host* host, const mcp_sink* error) noexcept;

// The other functions of the table, which are the same for every plugin.
std::int32_t describe_instance(void* self, const mcp_sink* sink, const mcp_sink* error) noexcept;
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

constexpr void add_to(mcp_plugin& table, std::uint32_t flags) {
  table.flags |= flags;
}

constexpr void add_to(mcp_plugin& table, const About& about) {
  table.id = c_string(about.id);
  table.vendor = c_string(about.vendor);
  table.description = c_string(about.description);
  table.url = c_string(about.url);
}

template <class... FlagsOrAbout>
constexpr mcp_plugin plugin_table(std::string_view name, std::string_view version,
                                  void* (*create)(const mcp_host*, const mcp_sink*), const FlagsOrAbout&... more) {
  mcp_plugin table{};
  table.size = sizeof(mcp_plugin);
  table.name = c_string(name);
  table.version = c_string(version);
  table.create = create;
  table.describe = describe_instance;
  table.start = start_instance;
  table.invoke = invoke_instance;
  table.cancel = cancel_instance;
  table.stop = stop_instance;
  (add_to(table, more), ...);
  return table;
}

}  // namespace detail
}  // namespace mcp

#define MCP_PLUGIN(name, version, setup, ...)                                                                 \
  extern "C" MCP_PLUGIN_EXPORT const mcp_plugin* mcp_plugin_entry_v1(void) {                                  \
    static_assert(::mcp::detail::is_plugin_name(name),                                                        \
                  "mcp: the name of a plugin is 1 to 128 characters of A-Z a-z 0-9 _ . -");                   \
    static_assert(std::is_convertible_v<decltype(setup), ::mcp::detail::Setup>,                               \
                  "mcp: the setup of a plugin is a function void(mcp::Plugin&)");                             \
    static constexpr mcp_plugin table =                                                                       \
        ::mcp::detail::plugin_table(name, version, &::mcp::detail::create<setup> __VA_OPT__(, ) __VA_ARGS__); \
    static_assert(table.id.size == 0 || ::mcp::detail::is_plugin_name({table.id.data, table.id.size}),        \
                  "mcp: the id of a plugin is 1 to 128 characters of A-Z a-z 0-9 _ . -");                     \
    return &table;                                                                                            \
  }
