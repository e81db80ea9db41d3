// The severities of MCP's log messages (server/utilities/logging; RFC 5424 section 6.2.1), in the order of MCP_LOG_* in
// mcp/plugin.h. Free functions; any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/message.hpp"

namespace mcph {

// The last is more than any message has.
enum class LogLevel : std::int32_t { debug, info, notice, warning, error, critical, alert, emergency, nothing };

// Of a message's.
std::string_view name_of(LogLevel level);

// From which severity on a client wants to hear what plugins log; a session's may change while its calls run.
using LogThreshold = std::atomic<LogLevel>;

// Nothing if it is not one of the names.
std::optional<LogLevel> read_log_level(const Json& name);

// What a request with such a level is refused with.
RpcError unknown_log_level(const Json& name);

}  // namespace mcph
