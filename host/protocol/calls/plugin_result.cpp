#include "protocol/calls/plugin_result.hpp"

#include <array>
#include <initializer_list>
#include <utility>

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

bool is_string(const Json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string();
}

Result<> require_strings(const Json& object, std::initializer_list<const char*> fields) {
  for (const auto* field : fields) {
    if (!is_string(object, field)) return fail(std::string(" lacks the string \"") + field + "\"");
  }
  return {};
}

Result<> check_resource_contents(const Json& contents) {
  if (!contents.is_object()) return fail(" is not an object");
  if (auto uri = require_strings(contents, {"uri"}); uri.has_error()) return uri;
  if (is_string(contents, "text") || is_string(contents, "blob")) return {};
  return fail(" has neither a \"text\" nor a \"blob\" string");
}

Result<> check_content_block(const Json& block) {
  if (!block.is_object()) return fail(" is not an object");
  if (auto typed = require_strings(block, {"type"}); typed.has_error()) return typed;
  const auto& type = block["type"].get_ref<const std::string&>();
  if (type == "text") return require_strings(block, {"text"});
  if (type == "image" || type == "audio") return require_strings(block, {"data", "mimeType"});
  if (type == "resource_link") return require_strings(block, {"uri", "name"});
  if (type != "resource") return fail(" has the unknown type " + dump(block["type"]));
  const auto resource = block.find("resource");
  if (resource == block.end()) return fail(" lacks \"resource\"");
  if (auto contents = check_resource_contents(*resource); contents.has_error())
    return at(".resource", contents.error());
  return {};
}

std::string element(const char* array, std::size_t index) {
  return array + ("[" + std::to_string(index) + "]");
}

Result<> check_tool_result(const Json& result) {
  const auto content = result.find("content");
  if (content == result.end() || !content->is_array()) return fail("it lacks the array \"content\"");
  for (std::size_t i = 0; i < content->size(); ++i) {
    auto block = check_content_block((*content)[i]);
    if (block.has_error()) return at(element("content", i), block.error());
  }
  const auto is_error = result.find("isError");
  if (is_error != result.end() && !is_error->is_boolean()) return fail("\"isError\" is not true or false");
  return {};
}

// The message names a JSON Pointer and the keyword, which is what the plugin's author looks for.
Result<> check_structured_content(const Json& result, const Schema& schema) {
  if (result.value("isError", false)) return {};
  const auto content = result.find("structuredContent");
  if (content == result.end()) {
    return fail("the tool has an outputSchema, but the result has no \"structuredContent\"");
  }
  const auto violation = schema.validate(*content);
  if (!violation) return {};
  return fail("structuredContent" + violation->path + " does not fit the tool's outputSchema (" +
              (violation->keyword.empty() ? "limit" : violation->keyword) + "): " + violation->message);
}

Result<> check_read_result(const Json& result) {
  const auto contents = result.find("contents");
  if (contents == result.end() || !contents->is_array()) return fail("it lacks the array \"contents\"");
  for (std::size_t i = 0; i < contents->size(); ++i) {
    auto checked = check_resource_contents((*contents)[i]);
    if (checked.has_error()) return at(element("contents", i), checked.error());
  }
  const auto ttl = result.find("ttlMs");
  if (ttl != result.end() && !ttl->is_number_unsigned()) return fail("\"ttlMs\" is not a whole number of at least 0");
  const auto scope = result.find("cacheScope");
  if (scope != result.end() && *scope != "public" && *scope != "private") {
    return fail(R"("cacheScope" is neither "public" nor "private")");
  }
  return {};
}

Result<> check_prompt_message(const Json& message) {
  if (!message.is_object()) return fail(" is not an object");
  const auto role = message.find("role");
  if (role == message.end() || (*role != "user" && *role != "assistant")) {
    return fail(R"( has a "role" that is neither "user" nor "assistant")");
  }
  const auto content = message.find("content");
  if (content == message.end()) return fail(" lacks \"content\"");
  if (auto block = check_content_block(*content); block.has_error()) return at(".content", block.error());
  return {};
}

Result<> check_prompt_result(const Json& result) {
  const auto messages = result.find("messages");
  if (messages == result.end() || !messages->is_array()) return fail("it lacks the array \"messages\"");
  for (std::size_t i = 0; i < messages->size(); ++i) {
    auto checked = check_prompt_message((*messages)[i]);
    if (checked.has_error()) return at(element("messages", i), checked.error());
  }
  const auto description = result.find("description");
  if (description != result.end() && !description->is_string()) return fail("\"description\" is not a string");
  return {};
}

Result<> check_result(PluginMethod method, const Json& result) {
  if (method == PluginMethod::tools_call) return check_tool_result(result);
  if (method == PluginMethod::resources_read) return check_read_result(result);
  if (method == PluginMethod::completion_complete) return check_completion_result(result);
  return check_prompt_result(result);
}

bool encode_uri(Json& holder) {
  auto& uri = holder["uri"];
  auto encoded = encoded_uri(uri.get_ref<const std::string&>());
  if (!encoded) return false;
  uri = *std::move(encoded);
  return true;
}

bool encode_content_uri(Json& block) {
  const auto& type = block["type"].get_ref<const std::string&>();
  if (type == "resource_link") return encode_uri(block);
  return type == "resource" && encode_uri(block["resource"]);
}

Result<Json> read_object(std::string_view json) {
  auto parsed = parse_json(json, max_result_depth, DuplicateKeys::refuse);
  if (parsed.has_error()) return fail("it is not valid JSON: " + parsed.error().message);
  if (!parsed->is_object()) return fail("it is not a JSON object");
  return parsed;
}

}  // namespace

Result<Json> read_plugin_result(PluginMethod method, std::string_view json,
                                const std::optional<Schema>& output_schema) {
  auto result = read_object(json);
  if (result.has_error()) return result;
  if (const auto meta = result->find("_meta"); meta != result->end() && !meta->is_object()) {
    return fail("\"_meta\" is not an object");
  }
  if (auto checked = check_result(method, *result); checked.has_error()) return checked.error();
  if (!output_schema) return result;
  if (auto checked = check_structured_content(*result, *output_schema); checked.has_error()) return checked.error();
  return result;
}

bool encode_uris(PluginMethod method, Json& result) {
  bool changed = false;
  if (method == PluginMethod::tools_call) {
    for (auto& block : result["content"])
      changed |= encode_content_uri(block);
  } else if (method == PluginMethod::resources_read) {
    for (auto& contents : result["contents"])
      changed |= encode_uri(contents);
  } else if (method == PluginMethod::prompts_get) {
    for (auto& message : result["messages"])
      changed |= encode_content_uri(message["content"]);
  }
  return changed;
}

Result<RpcError> read_plugin_error(std::string_view json) {
  auto error = read_object(json);
  if (error.has_error()) return error.error();
  const auto code = error->find("code");
  if (code == error->end() || !code->is_number_integer()) return fail("the error lacks the whole number \"code\"");
  const auto number = code->get<std::int64_t>();
  if (!std::in_range<int>(number) || (code->is_number_unsigned() && number < 0)) {
    return fail("the error's \"code\" does not fit into 32 bits");
  }
  if (auto message = require_strings(*error, {"message"}); message.has_error()) return at("the error", message.error());
  return RpcError{static_cast<int>(number), (*error)["message"].get<std::string>(), error->value("data", Json())};
}

std::string invalid_answer(std::string_view plugin, PluginMethod method, std::string_view component,
                           std::string_view fault) {
  std::string text = "Plugin ";
  text.append(plugin).append(" answered ").append(name_of(method)).append(" of ").append(component);
  return text.append(" with something invalid: ").append(fault);
}

}  // namespace mcph
