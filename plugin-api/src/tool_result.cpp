#include <utility>

#include <mcp/plugin.h>
#include <mcp/plugin/detail/result_conversion.hpp>
#include <mcp/plugin/tool_result.hpp>
#include <nlohmann/json.hpp>

namespace mcp {

ToolResult input_required(const Json& input_requests) {
  ToolResult result;
  result.input_requests_ = detail::value_text(input_requests);
  return result;
}

ToolResult& ToolResult::content(const Content& content) {
  detail::append_separator(json_);
  json_ += content.json();
  return *this;
}

ToolResult& ToolResult::text(std::string_view text) {
  constexpr std::string_view opening = R"({"type":"text","text":)";
  constexpr std::size_t rest = 64;  // what mostly comes after it, so that this is the only allocation
  json_.reserve(json_.size() + opening.size() + text.size() + rest);
  detail::append_separator(json_);
  json_ += opening;
  detail::append_string(json_, text);
  json_ += '}';
  return *this;
}

detail::Answer ToolResult::answer() && {
  if (!input_requests_.empty()) {
    return {MCP_OUTCOME_INPUT_REQUIRED, detail::ObjectText().member("inputRequests", input_requests_).text()};
  }
  std::string json = std::move(json_);
  json += ']';
  if (!structured_.empty()) json.append(R"(,"structuredContent":)").append(structured_);
  if (is_error_) json += R"(,"isError":true)";
  if (!meta_.empty()) json.append(R"(,"_meta":)").append(meta_);
  json += '}';
  return {MCP_OUTCOME_RESULT, std::move(json)};
}

ToolResult& ToolResult::structured_text(std::string json) {
  structured_ = std::move(json);
  return *this;
}

namespace detail {

ToolResult text_result(std::string_view text) {
  ToolResult result;  // and not ToolResult().text(text), which would copy it
  result.text(text);
  return result;
}

ToolResult object_result(std::string json) {
  ToolResult result;
  result.text(json);
  return result.structured_text(std::move(json));
}

ToolResult wrapped_result(std::string_view json) {
  ToolResult result;
  // A model reads a date as it is, without the quotes that JSON has.
  if (json.starts_with('"')) {
    result.text(parse_json(json).get<std::string>());
  } else {
    result.text(json);
  }
  return result.structured_text(ObjectText().member("result", json).text());
}

ToolResult json_result(const Json& value) {
  std::string json = value_text(value);
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
