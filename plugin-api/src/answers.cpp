#include "answers.hpp"

#include <mcp/plugin.h>
#include <mcp/plugin/detail/json_text.hpp>

namespace mcp {

ProtocolError::ProtocolError(int code, const std::string& message, const Json& data)
    : std::runtime_error(message), code_(code), data_(dump_json(data)) {}

namespace detail {

Answer error_answer(int code, std::string_view message, std::string_view data) {
  ObjectText error;
  error.member("code", std::to_string(code)).string("message", message).member_if("data", data);
  return {MCP_OUTCOME_ERROR, error.text()};
}

}  // namespace detail
}  // namespace mcp
