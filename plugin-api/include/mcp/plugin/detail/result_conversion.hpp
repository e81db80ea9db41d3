// What a tool's callable returns -> ToolResult, and the output schema that its type promises.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mcp/plugin/detail/encode.hpp>
#include <mcp/plugin/detail/schema.hpp>
#include <mcp/plugin/tool_result.hpp>

namespace mcp {
struct Message;
}

namespace mcp::detail {

template <class T>
inline constexpr bool is_text = std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view> ||
                                std::is_same_v<T, const char*> || std::is_same_v<T, char*>;

/// The text that a handler returns; one that is no pointer as it is.
template <class T>
const T& not_null(const T& text) {
  if constexpr (std::is_pointer_v<T>) {
    if (text == nullptr) throw std::invalid_argument("the handler returned a null pointer in place of a text");
  }
  return text;
}

/// Structured content is this value itself. Every other value is wrapped: {"result": value}, because clients before
/// 2026-07-28 accept nothing but an object there.
template <class T>
inline constexpr bool is_object = Described<T> || is_map<T>;

template <class T>
inline constexpr bool is_structured =
    has_json_form<T> && !is_text<T> && !std::is_same_v<T, Json> && !std::is_same_v<T, Contents>;

ToolResult text_result(std::string_view text);
ToolResult object_result(std::string json);
ToolResult wrapped_result(std::string_view json);
/// Structured if it is an object, and always text.
ToolResult json_result(const Json& value);
ToolResult contents_result(const Contents& contents);
std::string wrapped_schema(const Schema& value);

template <class R>
constexpr void require_tool_result() {
  static_assert(!std::is_same_v<R, Message> && !std::is_same_v<R, std::vector<Message>>,
                "mcp: a message is for prompts: return a text, mcp::Content or mcp::Contents from a tool");
  static_assert(!std::is_base_of_v<std::exception, R>,
                "mcp: an error is thrown, not returned: write throw mcp::ToolError(\"why\")");
  if constexpr (std::is_enum_v<R>) require_json_form<R>();
  static_assert(
      std::is_enum_v<R> || std::is_void_v<R> || is_text<R> || has_json_form<R> || std::is_same_v<R, ToolResult> ||
          std::is_same_v<R, Content> || std::is_same_v<R, Contents>,
      "mcp: a tool cannot return this type: return nothing, a text, a number, a bool, an enum, a struct that has "
      "only members or static constexpr auto fields(), a date or a duration, the standard library's containers, "
      "std::optional, tuples and variants of those, mcp::Json, mcp::Content, mcp::Contents or mcp::ToolResult");
}

template <class R>
ToolResult tool_result(R&& result) {
  using T = std::remove_cvref_t<R>;
  require_tool_result<std::decay_t<R>>();
  if constexpr (std::is_same_v<T, ToolResult>) {
    return std::forward<R>(result);
  } else if constexpr (is_text<std::decay_t<R>>) {
    return text_result(not_null<std::decay_t<R>>(result));
  } else if constexpr (std::is_same_v<T, Content>) {
    return ToolResult().content(result);
  } else if constexpr (std::is_same_v<T, Contents>) {
    return contents_result(result);
  } else if constexpr (std::is_same_v<T, Json>) {
    return json_result(result);
  } else if constexpr (is_object<T>) {
    return object_result(json_text(result));
  } else if constexpr (is_structured<T>) {
    return wrapped_result(json_text(result));
  } else {
    return {};
  }
}

/// Empty if the type promises nothing.
template <class R>
std::string output_schema() {
  using T = std::remove_cvref_t<R>;
  require_tool_result<T>();
  const SchemaPlace root = SchemaPlace::root(SchemaUse::Output);
  if constexpr (!is_structured<T>) {
    return {};
  } else if constexpr (is_object<T>) {
    return schema_of<T>(root).text();
  } else {
    return wrapped_schema(schema_of<T>(root.below("properties", "result")));
  }
}

}  // namespace mcp::detail
