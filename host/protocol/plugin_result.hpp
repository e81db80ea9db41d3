// Checks what a plugin answered before a client sees it: a plugin that answers with something else than the method's
// result is told so in the error, instead of a client that breaks. Free functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "protocol/message.hpp"
#include "result.hpp"

namespace mcph {

// The result object of "tools/call", "resources/read", "prompts/get" or "completion/complete". The error names the
// field.
Result<Json> read_plugin_result(std::string_view method, std::string_view json);

// {"code", "message", "data"?} of MCP_OUTCOME_ERROR.
Result<RpcError> read_plugin_error(std::string_view json);

}  // namespace mcph
