// The answers to calls that went wrong, and the warning of those whose text was changed.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include <mcp/plugin.h>
#include <mcp/plugin/error.hpp>
#include <mcp/plugin/tool_result.hpp>

namespace mcp::detail {

/// A JSON-RPC error object. `data` is JSON text, or empty.
Answer error_answer(int code, std::string_view message, std::string_view data = {});

inline Answer error_answer(const ProtocolError& error) {
  return error_answer(error.code(), error.what(), error.data());
}

/// Of one tool. Shared by all copies of its record, and by its calls, which may outlive them.
struct ReplacedBytes {
  explicit ReplacedBytes(std::string_view tool);

  const std::string warning;
  std::atomic<bool> is_told = false;
};

/// Warns in the host's log of a tool whose answer has U+FFFD, which bytes that are not UTF-8 have become. Once, because
/// such a tool mostly answers so each time.
void warn_of_replaced_bytes(const mcp_host& host, ReplacedBytes& replaced, const Answer& answer) noexcept;

}  // namespace mcp::detail
