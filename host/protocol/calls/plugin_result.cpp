#include "protocol/calls/plugin_result.hpp"

#include <array>
#include <initializer_list>
#include <utility>
#include <variant>

#include "base/base64.hpp"
#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "protocol/calls/completion.hpp"

namespace mcph {
namespace {

// Deep enough for any real result, shallow enough for the recursion of the JSON library.
constexpr std::size_t max_result_depth = 128;

// What is wrong continues the name of the place where it is, which the caller has: nothing is composed for the usual
// result, which is right.
Error at(const std::string& place, const Error& error) {
  return fail(place + error.message);
}

Result<> require_strings(JsonValue object, std::initializer_list<const char*> fields) {
  for (const auto* field : fields) {
    if (!object.find(field).is_string()) return fail(std::string(" lacks the string \"") + field + "\"");
  }
  return {};
}

// No client could decode it (server/tools, "Image Content"; server/resources, "Security Considerations").
Result<> require_base64(JsonValue object, const char* field) {
  std::string storage;
  if (is_base64(object.find(field).string(storage))) return {};
  return fail(std::string(" has a \"") + field + "\" that is no Base64");
}

Result<> check_optional_strings(JsonValue object, std::initializer_list<const char*> fields) {
  for (const auto* field : fields) {
    if (const auto found = object.find(field); found && !found.is_string())
      return fail(std::string(" has a \"") + field + "\" that is no string");
  }
  return {};
}

Result<> check_own_meta(JsonValue object) {
  const auto meta = object.find("_meta");
  return meta && !meta.is_object() ? fail(" has a \"_meta\" that is no object") : Result<>();
}

std::string element(const char* array, std::size_t index) {
  return array + ("[" + std::to_string(index) + "]");
}

// Each element of the array; the error names it.
Result<> check_elements(JsonValue array, const char* name, Result<> (*check)(JsonValue)) {
  std::size_t index = 0;
  for (const auto each : array.elements()) {
    if (auto checked = check(each); checked.has_error()) return at(element(name, index), checked.error());
    ++index;
  }
  return {};
}

bool is_role(JsonValue role) {
  return role.is("user") || role.is("assistant");
}

bool are_roles(JsonValue roles) {
  for (const auto each : roles.elements()) {
    if (!is_role(each)) return false;
  }
  return roles.is_array();
}

bool are_strings(JsonValue array) {
  for (const auto each : array.elements()) {
    if (!each.is_string()) return false;
  }
  return array.is_array();
}

// As of a resource in a list (catalog/components.cpp): clients' libraries refuse the whole result for less.
Result<> check_annotations(JsonValue annotations) {
  if (!annotations) return {};
  if (!annotations.is_object()) return fail(" is not an object");
  const auto audience = annotations.find("audience");
  if (audience && !are_roles(audience)) return fail(R"(.audience is not an array of "user" and "assistant")");
  const auto priority = annotations.find("priority");
  const auto is_share = [](auto share) { return static_cast<double>(share) >= 0 && static_cast<double>(share) <= 1; };
  if (priority && !(priority.is_number() && std::visit(is_share, priority.number())))
    return fail(".priority is not a number from 0 to 1");
  return check_optional_strings(annotations, {"lastModified"});
}

Result<> check_icon(JsonValue icon) {
  if (!icon.is_object()) return fail(" is not an object");
  if (auto source = require_strings(icon, {"src"}); source.has_error()) return source;
  const auto sizes = icon.find("sizes");
  if (sizes && !are_strings(sizes)) return fail(" has \"sizes\" that are no array of strings");
  const auto theme = icon.find("theme");
  if (theme && !theme.is("light") && !theme.is("dark"))
    return fail(R"( has a "theme" that is neither "light" nor "dark")");
  return check_optional_strings(icon, {"mimeType"});
}

Result<> check_resource_link(JsonValue link) {
  if (auto strings = require_strings(link, {"uri", "name"}); strings.has_error()) return strings;
  if (auto strings = check_optional_strings(link, {"title", "description", "mimeType"}); strings.has_error())
    return strings;
  const auto size = link.find("size");
  if (size && !size.is_number()) return fail(" has a \"size\" that is no number");
  const auto icons = link.find("icons");
  if (icons && !icons.is_array()) return fail(" has \"icons\" that are no array");
  return check_elements(icons, ".icons", check_icon);
}

Result<> check_resource_contents(JsonValue contents) {
  if (!contents.is_object()) return fail(" is not an object");
  if (auto uri = require_strings(contents, {"uri"}); uri.has_error()) return uri;
  if (auto type = check_optional_strings(contents, {"mimeType"}); type.has_error()) return type;
  if (auto meta = check_own_meta(contents); meta.has_error()) return meta;
  if (contents.find("blob").is_string()) return require_base64(contents, "blob");
  if (contents.find("text").is_string()) return {};
  return fail(" has neither a \"text\" nor a \"blob\" string");
}

Result<> check_content_block(JsonValue block) {
  if (!block.is_object()) return fail(" is not an object");
  if (auto typed = require_strings(block, {"type"}); typed.has_error()) return typed;
  if (auto annotations = check_annotations(block.find("annotations")); annotations.has_error())
    return at(".annotations", annotations.error());
  if (auto meta = check_own_meta(block); meta.has_error()) return meta;
  std::string storage;
  const auto type = block.find("type").string(storage);
  if (type == "text") return require_strings(block, {"text"});
  if (type == "image" || type == "audio") {
    if (auto strings = require_strings(block, {"data", "mimeType"}); strings.has_error()) return strings;
    return require_base64(block, "data");
  }
  if (type == "resource_link") return check_resource_link(block);
  if (type != "resource") return fail(" has the unknown type " + dump(Json(type)));
  const auto resource = block.find("resource");
  if (!resource) return fail(" lacks \"resource\"");
  if (auto contents = check_resource_contents(resource); contents.has_error()) return at(".resource", contents.error());
  return {};
}

Result<> check_tool_result(JsonValue result) {
  const auto content = result.find("content");
  if (!content.is_array()) return fail("it lacks the array \"content\"");
  if (auto checked = check_elements(content, "content", check_content_block); checked.has_error()) return checked;
  const auto is_error = result.find("isError");
  if (is_error && !is_error.is_boolean()) return fail("\"isError\" is not true or false");
  return {};
}

// The message names a JSON Pointer and the keyword, which is what the plugin's author looks for.
Result<> check_structured_content(JsonValue result, const Schema& schema) {
  if (const auto is_error = result.find("isError"); is_error && is_error.boolean()) return {};
  const auto content = result.find("structuredContent");
  if (!content) {
    return fail("the tool has an outputSchema, but the result has no \"structuredContent\"");
  }
  const auto violation = schema.validate(content);
  if (!violation) return {};
  return fail("structuredContent" + violation->path + " does not fit the tool's outputSchema (" +
              (violation->keyword.empty() ? "limit" : violation->keyword) + "): " + violation->message);
}

Result<> check_read_result(JsonValue result) {
  const auto contents = result.find("contents");
  if (!contents.is_array()) return fail("it lacks the array \"contents\"");
  if (auto checked = check_elements(contents, "contents", check_resource_contents); checked.has_error()) return checked;
  const auto ttl = result.find("ttlMs");
  if (ttl && ttl.kind() != JsonValue::Kind::unsigned_integer) {
    return fail("\"ttlMs\" is not a whole number of at least 0");
  }
  const auto scope = result.find("cacheScope");
  if (scope && !scope.is("public") && !scope.is("private")) {
    return fail(R"("cacheScope" is neither "public" nor "private")");
  }
  return {};
}

Result<> check_prompt_message(JsonValue message) {
  if (!message.is_object()) return fail(" is not an object");
  if (!is_role(message.find("role"))) {
    return fail(R"( has a "role" that is neither "user" nor "assistant")");
  }
  const auto content = message.find("content");
  if (!content) return fail(" lacks \"content\"");
  if (auto block = check_content_block(content); block.has_error()) return at(".content", block.error());
  return {};
}

Result<> check_prompt_result(JsonValue result) {
  const auto messages = result.find("messages");
  if (!messages.is_array()) return fail("it lacks the array \"messages\"");
  if (auto checked = check_elements(messages, "messages", check_prompt_message); checked.has_error()) return checked;
  const auto description = result.find("description");
  if (description && !description.is_string()) return fail("\"description\" is not a string");
  return {};
}

Result<> check_result(PluginMethod method, JsonValue result) {
  if (method == PluginMethod::tools_call) return check_tool_result(result);
  if (method == PluginMethod::resources_read) return check_read_result(result);
  if (method == PluginMethod::completion_complete) return check_completion_result(result);
  return check_prompt_result(result);
}

void encode_uri(Json& holder) {
  auto& uri = holder["uri"];
  if (auto encoded = encoded_uri(uri.get_ref<const std::string&>())) uri = *std::move(encoded);
}

void encode_content_uri(Json& block) {
  const auto& type = block["type"].get_ref<const std::string&>();
  if (type == "resource_link") return encode_uri(block);
  if (type == "resource") encode_uri(block["resource"]);
}

bool is_to_be_encoded(JsonValue holder) {
  std::string storage;
  return encoded_uri(holder.find("uri").string(storage)).has_value();
}

bool is_content_to_be_encoded(JsonValue block) {
  const auto type = block.find("type");
  if (type.is("resource_link")) return is_to_be_encoded(block);
  return type.is("resource") && is_to_be_encoded(block.find("resource"));
}

Result<JsonDocument> read_object(std::string_view json) {
  auto read = JsonDocument::read(json, max_result_depth);
  if (read.has_error()) return fail("it is not valid JSON: " + read.error().message);
  if (!read->root().is_object()) return fail("it is not a JSON object");
  return read;
}

}  // namespace

Result<JsonDocument> read_plugin_result(PluginMethod method, std::string_view json,
                                        const std::optional<Schema>& output_schema) {
  auto read = read_object(json);
  if (read.has_error()) return read;
  const auto result = read->root();
  if (const auto meta = result.find("_meta"); meta && !meta.is_object()) return fail("\"_meta\" is not an object");
  if (auto checked = check_result(method, result); checked.has_error()) return checked.error();
  if (!output_schema) return read;
  if (auto checked = check_structured_content(result, *output_schema); checked.has_error()) return checked.error();
  return read;
}

bool has_uris_to_encode(PluginMethod method, JsonValue result) {
  const auto any = [](JsonValue array, bool (*is_one)(JsonValue)) {
    for (const auto each : array.elements()) {
      if (is_one(each)) return true;
    }
    return false;
  };
  if (method == PluginMethod::tools_call) return any(result.find("content"), is_content_to_be_encoded);
  if (method == PluginMethod::resources_read) return any(result.find("contents"), is_to_be_encoded);
  if (method != PluginMethod::prompts_get) return false;
  return any(result.find("messages"),
             [](JsonValue message) { return is_content_to_be_encoded(message.find("content")); });
}

void encode_uris(PluginMethod method, Json& result) {
  if (method == PluginMethod::tools_call) {
    for (auto& block : result["content"])
      encode_content_uri(block);
  } else if (method == PluginMethod::resources_read) {
    for (auto& contents : result["contents"])
      encode_uri(contents);
  } else if (method == PluginMethod::prompts_get) {
    for (auto& message : result["messages"])
      encode_content_uri(message["content"]);
  }
}

Result<RpcError> read_plugin_error(std::string_view json) {
  const auto read = read_object(json);
  if (read.has_error()) return read.error();
  const auto error = read->root();
  const auto code = error.find("code");
  if (!code.is_integer()) return fail("the error lacks the whole number \"code\"");
  const auto number = code.number();
  const bool is_small = std::holds_alternative<std::int64_t>(number)
                            ? std::in_range<int>(std::get<std::int64_t>(number))
                            : std::in_range<int>(std::get<std::uint64_t>(number));
  if (!is_small) return fail("the error's \"code\" does not fit into 32 bits");
  if (auto message = require_strings(error, {"message"}); message.has_error()) return at("the error", message.error());
  return RpcError{std::visit([](auto value) { return static_cast<int>(value); }, number),
                  error.find("message").string(), error.find("data").json()};
}

std::string invalid_answer(std::string_view plugin, PluginMethod method, std::string_view component,
                           std::string_view fault) {
  std::string text = "Plugin ";
  text.append(plugin).append(" answered ").append(name_of(method)).append(" of ").append(component);
  text.append(" with something invalid: ").append(fault);
  return text;
}

}  // namespace mcph
