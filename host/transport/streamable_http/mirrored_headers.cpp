#include "transport/streamable_http/mirrored_headers.hpp"

#include <algorithm>
#include <charconv>
#include <compare>
#include <cstdint>
#include <string>
#include <utility>

#include "base/base64.hpp"
#include "base/json_text.hpp"
#include "schema/value.hpp"

namespace mcph {
namespace {

RpcError mismatch(std::string message) {
  return {error_code::header_mismatch, "Header mismatch: " + std::move(message)};
}

std::string in_quotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

// The member of the params that Mcp-Name mirrors; null for methods without one.
const char* name_source(std::optional<Method> method) {
  if (method == Method::tools_call || method == Method::prompts_get) return "name";
  if (method == Method::resources_read) return "uri";
  if (method == Method::tasks_get || method == Method::tasks_update || method == Method::tasks_cancel) return "taskId";
  return nullptr;
}

Result<void, RpcError> check_name(const HttpHead& head, const Message& request) {
  const auto* source = name_source(request.method);
  if (source == nullptr) return {};
  const auto value = request.params.find(source);
  if (!value.is_string()) {
    if (!head.name) return {};  // refused with the method's own words
    return mismatch("there is an Mcp-Name header, but no text params." + std::string(source) + " that it mirrors");
  }
  std::string storage;
  const auto expected = value.string(storage);
  if (!head.name) return mismatch("the Mcp-Name header is missing; it must mirror params." + std::string(source));
  const auto decoded = decode_mcp_header_value(*head.name);
  if (!decoded) return mismatch("the Mcp-Name header is neither plain ASCII nor valid =?base64?...?=");
  if (*decoded == expected) return {};
  return mismatch("Mcp-Name header value " + in_quotes(*decoded) + " does not match body value " + in_quotes(expected));
}

// The argument that a header mirrors; none where the call has none, or null.
JsonValue find_argument(JsonValue arguments, const std::vector<std::string>& path) {
  auto value = arguments;
  for (const auto& key : path)
    value = value.find(key);
  return value.is_null() ? JsonValue() : value;
}

// "42" and "42.0" are the same integer; nothing else than such texts is one.
std::optional<std::int64_t> read_integer(std::string_view text) {
  const auto point = std::min(text.find('.'), text.size());
  const auto fraction = text.substr(point);
  if (fraction == "." || fraction.find_first_not_of('0', 1) < fraction.size()) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + point, value);
  if (error != std::errc{} || end != text.data() + point) return std::nullopt;
  return value;
}

// What every client can represent: up to 2^53 - 1 either way.
bool is_safe_integer(schema::Number value) {
  constexpr std::int64_t most = (std::int64_t{1} << 53) - 1;
  return std::is_lteq(schema::compare_numbers(value, most)) && std::is_gteq(schema::compare_numbers(value, -most));
}

// For a number that is no integer. Nothing: the text is none.
std::optional<double> read_fraction(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool mirrors(std::string_view text, JsonValue value) {
  if (value.is_string()) return value.is(text);
  if (value.is_boolean()) return text == value.text();
  const auto is_same = [&](auto number) {
    return number && std::is_eq(schema::compare_numbers(value.number(), *number));
  };
  return schema::is_integer(value.number()) ? is_same(read_integer(text)) : is_same(read_fraction(text));
}

Result<void, RpcError> check_parameter_header(const HttpHead& head, const ParameterHeader& header,
                                              JsonValue arguments) {
  const auto value = find_argument(arguments, header.path);
  const auto lines = head.others == nullptr ? std::vector<std::string_view>() : lines_of(*head.others, header.name);
  if (lines.size() > 1) return mismatch("the " + header.name + " header is given more than once");
  if (!value) {
    if (lines.empty()) return {};
    return mismatch("there is a " + header.name + " header, but no argument that it mirrors");
  }
  // Refused by the schema, in its words. Clients mirror any number.
  if (lines.empty() && value.is_number() && !schema::is_integer(value.number())) return {};
  if (value.is_structured()) {
    if (lines.empty()) return {};
    return mismatch("there is a " + header.name + " header, but its argument is an object or an array");
  }
  if (value.is_number() && !is_safe_integer(value.number())) {
    return mismatch("no " + header.name + " header can carry an integer beyond 9007199254740991");
  }
  if (lines.empty()) return mismatch("the " + header.name + " header is missing; it must mirror its argument");
  const auto decoded = decode_mcp_header_value(lines.front());
  if (!decoded) return mismatch("the " + header.name + " header is neither plain ASCII nor valid =?base64?...?=");
  if (mirrors(*decoded, value)) return {};
  return mismatch(header.name + " header value " + in_quotes(*decoded) + " does not match body value " +
                  in_quotes(value.is_string() ? value.string() : dump(value.json())));
}

}  // namespace

Result<void, RpcError> MirroredHeaders::check_version(std::string_view protocol_version) const {
  // Which only a request must have.
  if (!head_.protocol_version || *head_.protocol_version == protocol_version) return {};
  return mismatch("MCP-Protocol-Version header value " + in_quotes(*head_.protocol_version) +
                  " does not match body value " + in_quotes(protocol_version));
}

Result<void, RpcError> MirroredHeaders::check(const Message& request) const {
  if (!head_.protocol_version) return mismatch("the MCP-Protocol-Version header is missing");
  if (!head_.method) return mismatch("the Mcp-Method header is missing");
  if (*head_.method != request.method_name) {
    return mismatch("Mcp-Method header value " + in_quotes(*head_.method) + " does not match body value " +
                    in_quotes(request.method_name));
  }
  return check_name(head_, request);
}

Result<void, RpcError> MirroredHeaders::check_arguments(const std::vector<ParameterHeader>& headers,
                                                        JsonValue arguments) const {
  for (const auto& header : headers) {
    if (auto checked = check_parameter_header(head_, header, arguments); checked.has_error()) return checked;
  }
  return {};
}

}  // namespace mcph
