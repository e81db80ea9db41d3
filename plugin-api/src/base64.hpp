// Base64 of RFC 4648 section 4, with padding: how MCP carries bytes in JSON.
#pragma once

#include <string>
#include <string_view>

namespace mcp::detail {

std::string base64(std::string_view bytes);

}  // namespace mcp::detail
