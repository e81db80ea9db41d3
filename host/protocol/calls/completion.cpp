#include "protocol/calls/completion.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "protocol/request_meta.hpp"

namespace mcph {
namespace {

Rejection malformed(std::string message) {
  return {Rejection::Reason::malformed, std::move(message)};
}

// The string `field` of params.`object`; null if it is not there.
const std::string* find_text(const Json& params, const char* object, const char* field) {
  const auto outer = params.find(object);
  if (outer == params.end() || !outer->is_object()) return nullptr;
  const auto inner = outer->find(field);
  return inner != outer->end() && inner->is_string() ? &inner->get_ref<const std::string&>() : nullptr;
}

// What has been filled in already (2025-06-18 and later): an object of strings, empty where the client says nothing.
std::optional<Json> read_chosen(const Json& params) {
  const auto context = params.find("context");
  if (context == params.end()) return Json::object();
  if (!context->is_object()) return std::nullopt;
  const auto chosen = context->find("arguments");
  if (chosen == context->end()) return Json::object();
  const auto is_string = [](const Json& value) { return value.is_string(); };
  if (!chosen->is_object() || !std::all_of(chosen->begin(), chosen->end(), is_string)) return std::nullopt;
  return *chosen;
}

// What the client asks about, once it has been read.
struct CompletionRequest {
  std::string argument;
  Json ref;
  Json params;  // as mcp_plugin.invoke promises them
};

Result<CompletionRequest, Rejection> read_request(const Json& params) {
  const auto* type = find_text(params, "ref", "type");
  const bool of_prompt = type != nullptr && *type == "ref/prompt";
  if (!of_prompt && (type == nullptr || *type != "ref/resource")) {
    return malformed(R"(params.ref.type must be "ref/prompt" or "ref/resource")");
  }
  const char* const key = of_prompt ? "name" : "uri";
  const auto* component = find_text(params, "ref", key);
  if (component == nullptr) return malformed(std::string("params.ref.") + key + " must be a string");
  const auto* argument = find_text(params, "argument", "name");
  const auto* value = find_text(params, "argument", "value");
  if (argument == nullptr || value == nullptr) {
    return malformed("params.argument must have the strings name and value");
  }
  auto chosen = read_chosen(params);
  if (!chosen) return malformed("params.context.arguments must be an object of strings");
  Json ref = {{"type", *type}, {key, *component}};
  return CompletionRequest{*argument,
                           ref,
                           {{"ref", ref},
                            {"argument", {{"name", *argument}, {"value", *value}}},
                            {"context", {{"arguments", *std::move(chosen)}}}}};
}

std::optional<Planned> plan_for_prompt(const Catalog& catalog, CompletionRequest& request, Json meta) {
  const auto& name = request.ref["name"].get_ref<const std::string&>();
  const auto* served = catalog.find_prompt(name);
  if (served == nullptr) return Rejection{Rejection::Reason::unknown_prompt, "Unknown prompt: " + name};
  const auto& arguments = served->component->arguments;
  if (std::find(arguments.begin(), arguments.end(), request.argument) == arguments.end()) {
    return malformed("Prompt " + name + " has no argument \"" + request.argument + "\"");
  }
  // What its plugin offers may depend on arguments that are not permitted.
  if (!served->component->completes || served->rule != nullptr) return std::nullopt;
  if (const auto& own_name = served->component->alias_of; !own_name.empty()) request.params["ref"]["name"] = own_name;
  return CallPlan{served->plugin, PluginMethod::completion_complete, dump(request.params), name, std::move(meta)};
}

std::optional<Planned> plan_for_template(const Catalog& catalog, CompletionRequest& request, Json meta) {
  const auto& uri = request.ref["uri"].get_ref<const std::string&>();
  const auto* served = catalog.find_template(uri);
  if (served == nullptr) {
    const bool is_concrete = uri.find('{') == std::string::npos;
    if (is_concrete && (catalog.find_resource(uri) != nullptr || catalog.match_template(uri))) return std::nullopt;
    return malformed("Unknown resource template: " + uri);
  }
  const auto variables = served->component->uri_template.variables();
  if (std::find(variables.begin(), variables.end(), request.argument) == variables.end()) {
    return malformed("Resource template " + uri + " has no variable \"" + request.argument + "\"");
  }
  // What its plugin offers may be among what is hidden.
  if (!served->component->completes || served->partial) return std::nullopt;
  request.params["ref"]["uri"] = served->component->uri_template.original();
  return CallPlan{served->plugin, PluginMethod::completion_complete, dump(request.params), uri, std::move(meta)};
}

}  // namespace

std::optional<Planned> plan_completion(const Catalog& catalog, JsonValue params) {
  auto read = read_request(params.json());
  if (read.has_error()) return read.error();
  auto& request = *read;
  return request.ref.contains("name") ? plan_for_prompt(catalog, request, other_meta(params))
                                      : plan_for_template(catalog, request, other_meta(params));
}

std::optional<Planned> plan_completion(const Catalog& catalog, const Json& params) {
  const auto document = JsonDocument::of(params);
  return plan_completion(catalog, document.root());
}

Result<> check_completion_result(JsonValue result) {
  const auto completion = result.find("completion");
  if (!completion.is_object()) return fail("it lacks the object \"completion\"");
  const auto values = completion.find("values");
  if (!values.is_array()) return fail("completion lacks the array \"values\"");
  std::size_t index = 0;
  for (const auto value : values.elements()) {
    if (!value.is_string()) return fail("completion.values[" + std::to_string(index) + "] is not a string");
    ++index;
  }
  const auto total = completion.find("total");
  if (total && total.kind() != JsonValue::Kind::unsigned_integer) {
    return fail("completion.total is not a whole number of at least 0");
  }
  const auto has_more = completion.find("hasMore");
  if (has_more && !has_more.is_boolean()) return fail("completion.hasMore is not true or false");
  return {};
}

void cut_completion(Json& result) {
  auto& completion = result["completion"];
  auto& values = completion["values"].get_ref<Json::array_t&>();
  const auto given = values.size();
  if (given <= max_completion_values) return;
  values.resize(max_completion_values);
  // Those given are all, unless the plugin says that there are still more; then only it knows how many.
  const auto total = completion.find("total");
  const bool is_all = total == completion.end() && !completion.value("hasMore", false);
  if (is_all || (total != completion.end() && *total < given)) completion["total"] = given;
  completion["hasMore"] = true;
}

}  // namespace mcph
