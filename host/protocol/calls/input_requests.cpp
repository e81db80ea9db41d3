#include "protocol/calls/input_requests.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/json_members.hpp"
#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "schema/schema.hpp"

namespace mcph {
namespace {

// An answer may contain messages, which contain contents.
constexpr std::size_t max_input_request_depth = 64;
// Each is a question to a person, or a call of a model that somebody pays.
constexpr std::size_t max_input_requests = 32;

template <class AnyJson>
const AnyJson& member(const AnyJson& object, const char* name) {
  static const AnyJson absent;
  const auto found = object.find(name);
  return found == object.end() ? absent : *found;
}

bool is_url_mode(const OrderedJson& params) {
  return member(params, "mode") == "url";
}

// Of something that is somewhere else, and neither a script, which a host in its comment does not make harmless, nor a
// file of the client's.
bool is_page(const OrderedJson& url) {
  static constexpr std::array<std::string_view, 3> schemes_of_others{"javascript", "vbscript", "file"};
  if (!url.is_string()) return false;
  const auto& text = url.get_ref<const std::string&>();
  const auto end_of_scheme = text.find("://");
  if (end_of_scheme == std::string::npos || !is_absolute_uri(text)) return false;
  const auto scheme = lower_case(text.substr(0, end_of_scheme));
  if (std::ranges::find(schemes_of_others, scheme) != schemes_of_others.end()) return false;
  const auto host = end_of_scheme + 3;
  return host < text.size() && std::string_view("/?#:@").find(text[host]) == std::string_view::npos;
}

template <class AnyJson>
bool has_strings(const AnyJson& object, std::initializer_list<const char*> keys) {
  return std::ranges::all_of(keys, [&](const char* key) { return member(object, key).is_string(); });
}

// Of those that a message of sampling may have (2026-07-28, schema, SamplingMessageContentBlock).
template <class AnyJson>
bool is_block(const AnyJson& block) {
  if (!block.is_object()) return false;
  const auto& type = member(block, "type");
  if (type == "text") return has_strings(block, {"text"});
  if (type == "image" || type == "audio") return has_strings(block, {"data", "mimeType"});
  if (type == "tool_use") return has_strings(block, {"id", "name"}) && member(block, "input").is_object();
  return type == "tool_result" && has_strings(block, {"toolUseId"}) && member(block, "content").is_array();
}

// Of a message: one block or several.
template <class AnyJson>
bool is_content(const AnyJson& content) {
  return is_block(content) || (content.is_array() && std::all_of(content.begin(), content.end(), is_block<AnyJson>));
}

// Of its blocks of this type what each has under `key`, in order.
std::vector<OrderedJson> ids_in(const OrderedJson& message, std::string_view type, const char* key) {
  std::vector<OrderedJson> ids;
  const auto add = [&](const OrderedJson& block) {
    if (block["type"] == type) ids.push_back(member(block, key));
  };
  const auto& content = message["content"];
  content.is_array() ? static_cast<void>(std::for_each(content.begin(), content.end(), add)) : add(content);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::size_t count_blocks(const OrderedJson& message) {
  return message["content"].is_array() ? message["content"].size() : 1;
}

constexpr auto unbalanced =
    "each \"tool_use\" of params.messages needs its \"tool_result\" in the next message, and no other";

// As the interfaces of models want it (client/sampling, "Tool Result Messages" and "Tool Use and Result Balance").
Result<> check_tool_blocks(const OrderedJson& messages) {
  std::vector<OrderedJson> due;  // the ids of what the message before has used
  for (const auto& message : messages) {
    const auto results = ids_in(message, "tool_result", "toolUseId");
    if (!results.empty() && (message["role"] != "user" || results.size() < count_blocks(message)))
      return fail(
          "a message of params.messages with a \"tool_result\" is not the user's, or has something else beside it");
    if (results != due) return fail(unbalanced);
    due = message["role"] == "assistant" ? ids_in(message, "tool_use", "id") : std::vector<OrderedJson>();
  }
  return due.empty() ? Result<>() : fail(unbalanced);
}

// Strings, or with `titled` each with a title; what is there is right.
bool has_choices(const OrderedJson& field, const char* titled) {
  const auto is_choice = [](const OrderedJson& option) {
    return option.is_object() && member(option, "const").is_string();
  };
  const auto& values = member(field, "enum");
  const auto& options = member(field, titled);
  const bool has_values = values.is_array() && std::ranges::all_of(values, &OrderedJson::is_string);
  const bool has_options = options.is_array() && std::ranges::all_of(options, is_choice);
  return (has_values || values.is_null()) && (has_options || options.is_null()) && (has_values || has_options);
}

// The kinds of value that a form can have, for which clients have fields (client/elicitation, "Requested Schema").
bool is_form_field(const OrderedJson& field) {
  if (!field.is_object()) return false;
  const auto& type = member(field, "type");
  if (type == "number" || type == "integer" || type == "boolean") return true;
  if (type == "string") return has_choices(field, "oneOf") || !(field.contains("enum") || field.contains("oneOf"));
  const auto& items = member(field, "items");
  return type == "array" && items.is_object() && has_choices(items, "anyOf");
}

Result<> check_form(const OrderedJson& params) {
  const auto& schema = member(params, "requestedSchema");
  if (!schema.is_object() || member(schema, "type") != "object" || !member(schema, "properties").is_object()) {
    return fail("params.requestedSchema is not a schema with \"type\": \"object\" and \"properties\"");
  }
  for (const auto& [name, field] : schema["properties"].items()) {
    if (is_form_field(field)) continue;
    return fail("params.requestedSchema.properties." + name +
                " is not a string, a number, an integer, a boolean or a choice of several strings; forms have no other "
                "fields");
  }
  if (const auto compiled = Schema::compile(schema); compiled.has_error()) {
    return fail("params.requestedSchema: " + compiled.error().message);
  }
  return {};
}

Result<> check_elicitation(const OrderedJson& params) {
  if (!member(params, "message").is_string()) return fail("params.message is not a string");
  const auto& mode = member(params, "mode");
  if (is_url_mode(params)) {
    if (is_page(member(params, "url"))) return {};
    return fail("params.url is no URL of a page, such as https://example.com");
  }
  if (!mode.is_null() && mode != "form") return fail("params.mode is neither \"form\" nor \"url\"");
  return check_form(params);
}

bool is_offered_tool(const OrderedJson& tool) {
  return tool.is_object() && member(tool, "name").is_string() && member(tool, "inputSchema").is_object();
}

// Clients' libraries refuse the whole request for one that is of another kind.
Result<> check_sampling_options(const OrderedJson& params) {
  struct Option {
    const char* name;
    bool (*is_right)(const OrderedJson&);
    const char* kind;
  };
  static constexpr auto is_text = [](const OrderedJson& value) { return value.is_string(); };
  static constexpr auto is_object = [](const OrderedJson& value) { return value.is_object(); };
  static constexpr std::array options{
      Option{"systemPrompt", is_text, "a string"},
      Option{"temperature", [](const OrderedJson& value) { return value.is_number(); }, "a number"},
      Option{"stopSequences",
             [](const OrderedJson& value) { return value.is_array() && std::ranges::all_of(value, is_text); },
             "an array of strings"},
      Option{"includeContext",
             [](const OrderedJson& value) { return value == "none" || value == "thisServer" || value == "allServers"; },
             "one of none, thisServer and allServers"},
      Option{"modelPreferences", is_object, "an object"},
      Option{"metadata", is_object, "an object"},
      Option{"toolChoice", is_object, "an object"},
      Option{"tools",
             [](const OrderedJson& value) { return value.is_array() && std::ranges::all_of(value, is_offered_tool); },
             "an array of tools, each with a \"name\" and an \"inputSchema\""},
  };
  for (const auto& [name, is_right, kind] : options) {
    const auto option = params.find(name);
    if (option != params.end() && !is_right(*option)) return fail("params." + std::string(name) + " is not " + kind);
  }
  return {};
}

Result<> check_sampling(const OrderedJson& params) {
  const auto& messages = member(params, "messages");
  if (!messages.is_array()) return fail("params.messages is not an array");
  for (const auto& message : messages) {
    const bool complete = message.is_object() && is_content(member(message, "content")) &&
                          (member(message, "role") == "user" || member(message, "role") == "assistant");
    if (!complete) {
      return fail(
          "an element of params.messages lacks \"content\", a block of the type text, image, audio, tool_use or "
          "tool_result with all that such a block needs, or an array of them, or the \"role\" \"user\" or "
          "\"assistant\"");
    }
  }
  const auto& most = member(params, "maxTokens");
  if (!most.is_number_integer() || most < 1) return fail("params.maxTokens is not a whole number of at least 1");
  if (auto options = check_sampling_options(params); options.has_error()) return options;
  return check_tool_blocks(messages);
}

// Of a page, as plugins may write it.
void encode_url(OrderedJson& params) {
  if (!is_url_mode(params)) return;
  auto& url = params["url"];
  if (auto encoded = encoded_uri(url.get_ref<const std::string&>())) url = *std::move(encoded);
}

void title_choices(OrderedJson& field, const char* titled) {
  const auto options = field.find(titled);
  if (options == field.end()) return;
  for (auto& option : *options) {
    if (!option.contains("title")) option["title"] = option["const"];
  }
}

// Clients' libraries refuse all of a form that has another format than these, a choice without a title, or several
// without a type (client/elicitation, "Requested Schema").
void complete_form(OrderedJson& params) {
  static constexpr std::array formats{"email", "uri", "date", "date-time"};
  const auto schema = params.find("requestedSchema");
  if (schema == params.end() || is_url_mode(params)) return;
  for (auto& field : (*schema)["properties"]) {
    const auto format = field.find("format");
    if (format != field.end() && std::ranges::find(formats, *format) == formats.end()) field.erase(format);
    if (field["type"] == "string") title_choices(field, "oneOf");
    if (field["type"] != "array") continue;
    auto& items = field["items"];
    title_choices(items, "anyOf");
    if (items.contains("enum") && !items.contains("type")) items["type"] = "string";
  }
}

Result<> check_request(const OrderedJson& request) {
  if (!request.is_object()) return fail("it is not an object");
  const auto method = method_of(request);
  const auto& params = member(request, "params");
  if (method == Method::roots_list) {
    if (params.is_null() || params.is_object()) return {};
    return fail("params is not an object");
  }
  const bool is_known = method == Method::elicitation_create || method == Method::sampling_create_message ||
                        method == Method::resources_read;
  if (!is_known)
    return fail("\"method\" is none of elicitation/create, sampling/createMessage, roots/list and resources/read");
  if (!params.is_object()) return fail("params is not an object");
  if (method == Method::resources_read) {
    if (!member(params, "uri").is_string()) return fail("params.uri is not a string");
    return {};
  }
  return method == Method::elicitation_create ? check_elicitation(params) : check_sampling(params);
}

std::optional<std::string> mistake_in_form(const OrderedJson& params, const Json& content) {
  if (!content.is_object()) return "\"content\" is not an object, although the form was accepted";
  const auto& schema = member(params, "requestedSchema");
  if (!schema.is_object()) return std::nullopt;
  const auto compiled = Schema::compile(schema);
  if (compiled.has_error()) return std::nullopt;  // refused when it was asked
  const auto violation = compiled->validate(content);
  if (!violation) return std::nullopt;
  return "\"content\": " + violation->message;
}

std::optional<std::string> mistake_in_elicitation(const OrderedJson& params, const Json& answer) {
  const auto& action = member(answer, "action");
  if (action == "decline" || action == "cancel") return std::nullopt;
  if (action != "accept") return "\"action\" is none of accept, decline and cancel";
  return is_url_mode(params) ? std::nullopt : mistake_in_form(params, member(answer, "content"));
}

std::optional<std::string> mistake_in_message(const Json& answer) {
  const auto& role = member(answer, "role");
  if (role != "assistant" && role != "user") return R"("role" is neither "assistant" nor "user")";
  if (!member(answer, "model").is_string()) return "\"model\" is not a string";
  if (!is_content(member(answer, "content"))) return "\"content\" is neither a content block nor an array of them";
  return std::nullopt;
}

std::optional<std::string> mistake_in_roots(const Json& answer) {
  const auto& roots = member(answer, "roots");
  if (!roots.is_array()) return "\"roots\" is not an array";
  const bool complete = std::all_of(roots.begin(), roots.end(), [](const Json& root) {
    const auto& uri = member(root, "uri");
    return uri.is_string() && uri.get_ref<const std::string&>().starts_with("file://") &&
           (!root.contains("name") || root["name"].is_string());
  });
  if (!complete) return "an element of \"roots\" has no \"uri\" that begins with file://, or its \"name\" is no string";
  return std::nullopt;
}

}  // namespace

Result<OrderedJson> read_input_requests(std::string_view json) {
  auto required = parse_ordered_json(json, max_input_request_depth);
  if (required.has_error()) return fail("it is not valid JSON: " + required.error().message);
  if (!required->is_object()) return fail("it is not a JSON object");
  const auto requests = required->find("inputRequests");
  if (requests == required->end() || !requests->is_object() || requests->empty()) {
    return fail("it lacks \"inputRequests\", an object with at least one request");
  }
  if (requests->size() > max_input_requests) {
    return fail("\"inputRequests\" has " + std::to_string(requests->size()) + " requests, more than " +
                std::to_string(max_input_requests));
  }
  for (auto& [name, request] : requests->items()) {
    if (const auto checked = check_request(request); checked.has_error()) {
      return fail("inputRequests." + name + ": " + checked.error().message);
    }
    if (!request.contains("params")) request["params"] = OrderedJson::object();
    encode_url(request["params"]);
    complete_form(request["params"]);
  }
  return std::move(*requests);
}

std::optional<std::string> mistake_in_answer(const OrderedJson& request, const Json& answer) {
  if (!answer.is_object()) return "it is not an object";
  const auto method = method_of(request);
  if (method == Method::elicitation_create) return mistake_in_elicitation(member(request, "params"), answer);
  if (method == Method::sampling_create_message) return mistake_in_message(answer);
  return mistake_in_roots(answer);
}

std::string read_input_state(std::string_view json) {
  const auto state = json_member(json, "inputState");
  return state ? json_string(*state).value_or("") : "";
}

std::string words_for_no_answer(const OrderedJson& requests, std::chrono::milliseconds patience) {
  std::string methods;
  for (const auto& [name, request] : requests.items())
    methods += (methods.empty() ? "" : ", ") + request["method"].get<std::string>();
  return "The client did not answer " + methods + " within " + std::to_string(patience.count() / 1000) + " s";
}

std::string words_for_many_answers() {
  return "params.inputResponses has more than " + std::to_string(max_answer_values) + " values";
}

std::string with_answers(std::string params, const Json& answers, std::string_view state) {
  if (answers.is_null()) return params;
  params.pop_back();
  params += R"(,"inputResponses":)" + dump(answers);
  if (!state.empty()) params += R"(,"inputState":)" + dump(Json(state));
  params += '}';
  return params;
}

Json essence_of(const OrderedJson& input_requests) {
  auto essence = Json::object();
  for (const auto& [name, request] : input_requests.items()) {
    auto& kept = essence[name];
    kept["method"] = request["method"];
    kept["params"] = Json::object();
    for (const auto* needed : {"mode", "requestedSchema"}) {
      if (request["params"].contains(needed)) kept["params"][needed] = request["params"][needed];
    }
  }
  return essence;
}

}  // namespace mcph
