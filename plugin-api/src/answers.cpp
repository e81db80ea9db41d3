#include "answers.hpp"

#include <mcp/plugin.h>
#include <mcp/plugin/detail/json_text.hpp>

#include "host_text.hpp"

namespace mcp {

ProtocolError::ProtocolError(int code, const std::string& message, const Json& data)
    : std::runtime_error(message), code_(code), data_(dump_json(data)) {}

namespace detail {

Answer error_answer(int code, std::string_view message, std::string_view data) {
  ObjectText error;
  error.member("code", std::to_string(code)).string("message", message).member_if("data", data);
  return {MCP_OUTCOME_ERROR, error.text()};
}

ReplacedBytes::ReplacedBytes(std::string_view tool)
    : warning("tool \"" + std::string(tool) +
              "\" answers with the character U+FFFD, which bytes that are not UTF-8 become: make its texts UTF-8, or "
              "base64") {}

void warn_of_replaced_bytes(const mcp_host& host, ReplacedBytes& replaced, const Answer& answer) noexcept {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  if (replaced.is_told || answer.json.find(replacement) == std::string::npos || replaced.is_told.exchange(true)) return;
  host.log(&host, 0, MCP_LOG_WARNING, borrowed(replaced.warning));
}

}  // namespace detail
}  // namespace mcp
