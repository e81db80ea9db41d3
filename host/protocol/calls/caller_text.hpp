// What a plugin may know of who calls it. Free functions; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "protocol/caller.hpp"

namespace mcph {

// Of mcp_host.call_context, what is known of every call.
Json context_json(const Caller& caller, std::optional<std::chrono::milliseconds> deadline);

// The JSON object that mcp_caller.describe promises.
std::string caller_text(const Caller& caller);

}  // namespace mcph
