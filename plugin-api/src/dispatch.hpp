// From a method and its params to the handler that answers them.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <mcp/plugin.h>
#include <mcp/plugin/tool_result.hpp>

#include "call_state.hpp"
#include "registry.hpp"

namespace mcp::detail {

/// Nothing if an asynchronous tool will answer later, or has done so. Throws nothing that a handler throws.
std::optional<Answer> dispatch(const mcp_host& host, mcp_call_id call, const Served& served,
                               const std::shared_ptr<PendingCalls>& pending, std::string_view method,
                               std::string_view params);

}  // namespace mcp::detail
