// The severities of MCP's log messages (server/utilities/logging; RFC 5424 section 6.2.1), in the order of MCP_LOG_* in
// mcp/plugin.h. Free functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/message.hpp"

namespace mcph {

enum class LogLevel : std::int32_t { debug, info, notice, warning, error, critical, alert, emergency };

std::string_view name_of(LogLevel level);

// Nothing if it is not one of the names.
std::optional<LogLevel> read_log_level(const Json& name);

// What a request with such a level is refused with.
RpcError unknown_log_level(const Json& name);

}  // namespace mcph
