// ToolResult: a tool's answer under the author's complete control. Every other return type of a tool is turned into
// one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <mcp/plugin/content.hpp>
#include <mcp/plugin/detail/encode.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/json.hpp>

namespace mcp {

namespace detail {

/// What goes to mcp_host.complete: one of MCP_OUTCOME_*, and JSON text.
struct Answer {
  std::int32_t outcome;
  std::string json;
};

}  // namespace detail

class ToolResult {
 public:
  ToolResult& content(const Content& content);
  ToolResult& text(std::string_view text);

  /// The answer for programs: mcp::Json, or any type that has a JSON form. It must match the tool's output schema. A
  /// client that knows no structured content reads the contents only, so say it there too.
  template <class T>
  ToolResult& structured(const T& value) {
    detail::require_json_form<T>();
    return structured_text(detail::json_text(value));
  }
  /// The same from JSON text.
  ToolResult& structured_text(std::string json);

  /// The call failed, and the contents tell the model why.
  ToolResult& is_error(bool is_error = true) {
    is_error_ = is_error;
    return *this;
  }

  ToolResult& meta(const Json& meta) {
    meta_ = detail::value_text(meta);
    return *this;
  }

  detail::Answer answer() const& { return ToolResult(*this).answer(); }
  detail::Answer answer() &&;

 private:
  friend ToolResult input_required(const Json& input_requests);

  std::string json_ = R"({"content":[)";  // the answer as far as the contents go
  std::string structured_;
  std::string meta_;
  std::string input_requests_;
  bool is_error_ = false;
};

/// Asks the client: an object of named requests, {"name": {"method": "elicitation/create", "params": {...}}}. The
/// handler is called again with the answers, which are in Context::input_responses.
ToolResult input_required(const Json& input_requests);

}  // namespace mcp
