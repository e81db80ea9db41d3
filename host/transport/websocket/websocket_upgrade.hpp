// Whether a request asks for WebSocket at an endpoint of MCP, and may have it (RFC 6455 section 4.2.1). Free functions;
// any thread.
#pragma once

#include <string_view>

#include "http/request.hpp"
#include "http/response.hpp"

namespace mcph {

// Of WebSocket, as the official SDK in TypeScript names it.
inline constexpr std::string_view mcp_subprotocol = "mcp";

// A GET of this version of HTTP (10, 11). What an older version asks for is no upgrade (RFC 9110 section 7.8).
bool asks_for_websocket(const HttpRequest& request, unsigned version);

// Why not, of one that asks for it.
HttpChecked check_websocket_upgrade(const HttpRequest& request);

}  // namespace mcph
