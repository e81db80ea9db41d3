// What this server can do, and what a client must be able to do for a question that a plugin asks it. Free functions.
#pragma once

#include <string_view>

#include "protocol/message.hpp"

namespace mcph {

// ServerCapabilities: every list may change while a client is connected. They state only what works. Those of the
// legacy era, where a client of MCP Apps looks for them too:
inline constexpr std::string_view server_capabilities =
    R"({"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},)"
    R"("logging":{},"completions":{},"extensions":{"io.modelcontextprotocol/ui":{}}})";

// Those of revisions from 2026-07-28 on.
inline constexpr std::string_view modern_server_capabilities =
    R"({"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},)"
    R"("logging":{},"completions":{},)"
    R"("extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/ui":{}}})";

// The part of ClientCapabilities that the input requests need and the client lacks; an empty object if nothing is
// missing.
Json missing_capabilities(const Json& input_requests, const Json& client_capabilities);

}  // namespace mcph
