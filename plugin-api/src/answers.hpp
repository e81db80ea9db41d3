// The answers to calls that went wrong.
#pragma once

#include <string_view>

#include <mcp/plugin/error.hpp>
#include <mcp/plugin/tool_result.hpp>

namespace mcp::detail {

/// A JSON-RPC error object. `data` is JSON text, or empty.
Answer error_answer(int code, std::string_view message, std::string_view data = {});

inline Answer error_answer(const ProtocolError& error) {
  return error_answer(error.code(), error.what(), error.data());
}

}  // namespace mcp::detail
