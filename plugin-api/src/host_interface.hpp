// Optional interfaces of the host, by their names.
#pragma once

#include <stdexcept>
#include <string>

#include <mcp/plugin.h>

namespace mcp::detail {

/// Null: the host has none.
inline const void* interface_of(const mcp_host& host, const char* name) {
  return MCP_HAS(&host, mcp_host, get_interface) ? host.get_interface(&host, name) : nullptr;
}

/// The table of an interface that a plugin cannot do without: what it needs of it was in its first version.
template <class Table>
const Table& required_interface(const mcp_host& host, const char* name) {
  const auto* const table = static_cast<const Table*>(interface_of(host, name));
  if (table != nullptr && table->size >= sizeof(Table)) return *table;
  throw std::runtime_error("the host does not have " + std::string(name) +
                           ", which mcp-plugin-host has from 0.1.0 on: update the host, or ask host_has(\"" + name +
                           "\") beforehand");
}

}  // namespace mcp::detail
