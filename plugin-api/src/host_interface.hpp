// Optional interfaces of the host, by their names.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include <mcp/capabilities.h>
#include <mcp/metrics.h>
#include <mcp/plugin.h>
#include <mcp/store.h>
#include <mcp/subscriptions.h>

namespace mcp::detail {

/// Null: the host has none.
inline const void* interface_of(const mcp_host& host, const char* name) {
  return MCP_HAS(&host, mcp_host, get_interface) ? host.get_interface(&host, name) : nullptr;
}

/// How much of a table is needed: the members of its first version. What is appended to it later is asked for by
/// MCP_HAS.
template <class Table>
inline constexpr std::size_t first_version = 0;
template <>
inline constexpr std::size_t first_version<mcp_capabilities> = offsetof(mcp_capabilities, check) + sizeof(void (*)());
template <>
inline constexpr std::size_t first_version<mcp_metrics> = offsetof(mcp_metrics, observe) + sizeof(void (*)());
template <>
inline constexpr std::size_t first_version<mcp_store> = offsetof(mcp_store, list) + sizeof(void (*)());
template <>
inline constexpr std::size_t first_version<mcp_subscriptions> = offsetof(mcp_subscriptions, listen) +
                                                                sizeof(void (*)());

/// The table of an interface that a plugin cannot do without.
template <class Table>
const Table& required_interface(const mcp_host& host, const char* name) {
  static_assert(first_version<Table> != 0);
  const auto* const table = static_cast<const Table*>(interface_of(host, name));
  if (table != nullptr && table->size >= first_version<Table>) return *table;
  throw std::runtime_error("the host does not have " + std::string(name) +
                           ", which mcp-plugin-host has from 0.1.0 on: update the host, or ask host_has(\"" + name +
                           "\") beforehand");
}

}  // namespace mcp::detail
