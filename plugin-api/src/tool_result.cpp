#include <utility>

#include <mcp/plugin.h>
#include <mcp/plugin/detail/result_conversion.hpp>
#include <mcp/plugin/tool_result.hpp>
#include <nlohmann/json.hpp>

namespace mcp {

ToolResult input_required(const Json& input_requests) {
  ToolResult result;
  result.input_requests_ = dump_json(input_requests);
  return result;
}

detail::Answer ToolResult::answer() const {
  if (!input_requests_.empty()) {
    return {MCP_OUTCOME_INPUT_REQUIRED, detail::ObjectText().member("inputRequests", input_requests_).text()};
  }
  detail::ObjectText object;
  object.member("content", contents_.text()).member_if("structuredContent", structured_);
  if (is_error_) object.member("isError", "true");
  object.member_if("_meta", meta_);
  return {MCP_OUTCOME_RESULT, std::move(object).text()};
}

ToolResult& ToolResult::structured_text(std::string json) {
  structured_ = std::move(json);
  return *this;
}

namespace detail {

ToolResult text_result(std::string_view text) {
  return ToolResult().text(text);
}

ToolResult object_result(std::string json) {
  ToolResult result;
  // A model reads a date as it is, without the quotes that JSON has.
  result.text(json.starts_with('"') ? parse_json(json).get<std::string>() : std::string(json));
  return result.structured_text(std::move(json));
}

ToolResult wrapped_result(std::string_view json) {
  ToolResult result;
  result.text(json);
  return result.structured_text(ObjectText().member("result", json).text());
}

ToolResult json_result(const Json& value) {
  std::string json = dump_json(value);
  return value.is_object() ? object_result(std::move(json)) : text_result(json);
}

ToolResult contents_result(const Contents& contents) {
  ToolResult result;
  for (const Content& content : contents)
    result.content(content);
  return result;
}

std::string wrapped_schema(const Schema& value) {
  ObjectSchema object;
  object.property("result", value, true);
  return object.schema(SchemaUse::Output).text();
}

}  // namespace detail
}  // namespace mcp
