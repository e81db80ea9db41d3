// MCP's words for the values of metadata.hpp.
#pragma once

#include <string>
#include <string_view>

#include <mcp/plugin/metadata.hpp>

namespace mcp::detail {

std::string_view role_name(Role role);
std::string_view cache_scope_name(CacheScope scope);
std::string annotations_text(const Annotations& annotations);
std::string icon_text(const Icon& icon);

}  // namespace mcp::detail
