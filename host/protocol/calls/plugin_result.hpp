// Checks what a plugin answered before a client sees it: a plugin that answers with something else than the method's
// result is told so in the error, instead of a client that breaks. Free functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "plugin/plugin_method.hpp"
#include "protocol/message.hpp"
#include "schema/schema.hpp"

namespace mcph {

// The result object of the method, whose text outlives it. The error names the field. The structured content of a tool
// with an output schema is checked, unless the result is an error (2026-07-28, server/tools, "Output Schema").
Result<JsonDocument> read_plugin_result(PluginMethod method, std::string_view json,
                                        const std::optional<Schema>& output_schema = {});

// Percent-encodes what a URI cannot have, in those of the resources in a result that has been read.
void encode_uris(PluginMethod method, Json& result);
// Whether that would change it.
bool has_uris_to_encode(PluginMethod method, JsonValue result);

// {"code", "message", "data"?} of MCP_OUTCOME_ERROR.
Result<RpcError> read_plugin_error(std::string_view json);

// What a client is told instead of an answer with such a fault.
std::string invalid_answer(std::string_view plugin, PluginMethod method, std::string_view component,
                           std::string_view fault);

}  // namespace mcph
