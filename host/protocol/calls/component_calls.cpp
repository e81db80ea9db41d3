#include "protocol/calls/component_calls.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "protocol/limit_error.hpp"
#include "protocol/request_meta.hpp"

namespace mcph {
namespace {

using Checked = Result<void, Rejection>;

Checked require_string(JsonValue params, const char* field) {
  if (params.find(field).is_string()) return {};
  return Rejection{Rejection::Reason::malformed, std::string("params.") + field + " must be a string"};
}

struct ParamsMember {
  std::string_view key;
  std::string_view json;
};

// What separates messages where they are lines does not stand in one; in JSON it is white space there.
void append_on_one_line(std::string& out, std::string_view json) {
  const auto begin = out.size();
  out.append(json);
  if (is_one_line(json)) return;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
}

// What a plugin gets are these members as the client wrote them, and no others: one that the host does not know has
// been checked by nobody, and may be another spelling of one that it does. Answers to input requests are added by who
// has checked them.
std::string plugin_params(std::initializer_list<ParamsMember> members) {
  std::string text = "{";
  for (const auto& [key, json] : members) {
    if (text.size() > 1) text += ',';
    text.append(1, '"').append(key).append("\":");
    append_on_one_line(text, json);
  }
  text += '}';
  return text;
}

// By which its plugin knows a component, where that is another one than its clients do.
std::string own_name_json(JsonValue name, const std::string& own_name) {
  return own_name.empty() ? std::string(name.text()) : dump(Json(own_name));
}

Checked check_arguments(JsonValue arguments) {
  if (!arguments || arguments.is_null() || arguments.is_object()) return {};
  return Rejection{Rejection::Reason::malformed_arguments, "params.arguments must be an object"};
}

// Clients may leave "arguments" out; the plugin always finds an object.
JsonValue arguments_or_none(JsonValue arguments) {
  static const auto none = JsonDocument::of(Json::object());
  return arguments.is_object() ? arguments : none.root();
}

// So that it does not look mistyped.
std::string words_if(bool withdrawn) {
  return withdrawn ? " (it was withdrawn, because its plugin crashed too often)" : "";
}

Rejection invalid_arguments(const std::string& tool, const Violation& violation) {
  return {Rejection::Reason::invalid_arguments,
          "Invalid arguments for tool " + tool + ": " + violation.message,
          {{"path", violation.path}, {"keyword", violation.keyword}}};
}

// Nothing: it is no call of a component.
std::optional<ComponentPattern::Kind> kind_of(PluginMethod method) {
  switch (method) {
    case PluginMethod::tools_call:
      return ComponentPattern::Kind::tool;
    case PluginMethod::resources_read:
      return ComponentPattern::Kind::resource;
    case PluginMethod::prompts_get:
      return ComponentPattern::Kind::prompt;
    default:
      return std::nullopt;
  }
}

// A call of what its client sees may still not be permitted.
template <class Component>
Checked check_rule(const Served<Component>& served, const char* kind, const std::string& name, JsonValue arguments) {
  if (served.rule == nullptr) return {};
  auto why_not = served.rule->check(arguments);
  if (!why_not) return {};
  return Rejection{Rejection::Reason::not_permitted,
                   "The " + std::string(kind) + " " + name + " is not permitted " + why_not->words,
                   why_not->scopes.empty() ? Json() : Json({{"requiredScopes", why_not->scopes}}),
                   why_not->scopes,
                   {},
                   std::move(why_not->rule)};
}

}  // namespace

Planned plan_call(PluginMethod method, const Catalog& catalog, JsonValue params) {
  if (method == PluginMethod::tools_call) return plan_tool_call(catalog, params);
  if (method == PluginMethod::resources_read) return plan_resource_read(catalog, params);
  return plan_prompt_get(catalog, params);
}

Planned plan_call(PluginMethod method, const Catalog& catalog, const Json& params) {
  const auto document = JsonDocument::of(params);
  return plan_call(method, catalog, document.root());
}

Planned plan_tool_call(const Catalog& catalog, JsonValue params) {
  return plan_tool_call(catalog, params, nullptr);
}

Planned plan_tool_call(const Catalog& catalog, JsonValue params, const MirroredFields* mirrored) {
  if (const auto checked = require_string(params, "name"); checked.has_error()) return checked.error();
  auto name = params.find("name").string();
  const auto* served = catalog.find_tool(name);
  if (served == nullptr) {
    return Rejection{Rejection::Reason::unknown_tool,
                     "Unknown tool: " + name + words_if(catalog.is_withdrawn_tool(name))};
  }
  const auto& tool = *served->component;
  if (const auto checked = check_arguments(params.find("arguments")); checked.has_error()) return checked.error();
  auto arguments = arguments_or_none(params.find("arguments"));
  if (mirrored != nullptr && !tool.parameter_headers.empty()) {
    if (const auto checked = mirrored->check_arguments(tool.parameter_headers, arguments); checked.has_error())
      return Rejection{Rejection::Reason::header_mismatch, checked.error().message};
  }
  if (const auto violation = tool.input_schema.validate(arguments)) return invalid_arguments(name, *violation);
  JsonDocument completed;
  if (tool.input_schema.has_defaults()) {
    auto tree = arguments.json();
    if (const auto violation = tool.input_schema.apply_defaults(tree)) return invalid_arguments(name, *violation);
    completed = JsonDocument::of(tree);
    arguments = completed.root();
  }
  if (const auto checked = check_rule(*served, "tool", name, arguments); checked.has_error()) return checked.error();
  const auto own_name = own_name_json(params.find("name"), tool.alias_of);
  return CallPlan{served->plugin,
                  PluginMethod::tools_call,
                  plugin_params({{"arguments", arguments.text()}, {"name", own_name}}),
                  std::move(name),
                  other_meta(params),
                  tool.task_support,
                  tool.output_schema,
                  tool.time_limit,
                  tool.price};
}

Planned plan_resource_read(const Catalog& catalog, JsonValue params) {
  if (const auto checked = require_string(params, "uri"); checked.has_error()) return checked.error();
  auto uri = params.find("uri").string();
  const auto plan = [&](std::shared_ptr<Plugin> plugin, std::initializer_list<ParamsMember> members) {
    return CallPlan{std::move(plugin), PluginMethod::resources_read, plugin_params(members), uri, other_meta(params)};
  };
  if (const auto* served = catalog.find_resource(uri)) {
    const auto original = dump(Json(served->component->original_uri));
    return plan(served->plugin, {{"uri", original}});
  }
  if (auto match = catalog.match_template(uri)) {
    // In the form in which it has been compared with all rules.
    const auto compared = dump(Json(normalized_uri(uri)));
    const auto original = dump(Json(match->served->component->uri_template.original()));
    const auto variables = dump(Json(std::move(match->variables)));
    return plan(match->served->plugin, {{"uri", compared}, {"uriTemplate", original}, {"variables", variables}});
  }
  return Rejection{Rejection::Reason::unknown_resource, "Resource not found: " + uri, {{"uri", uri}}};
}

Planned plan_prompt_get(const Catalog& catalog, JsonValue params) {
  if (const auto checked = require_string(params, "name"); checked.has_error()) return checked.error();
  auto name = params.find("name").string();
  const auto* served = catalog.find_prompt(name);
  if (served == nullptr) {
    return Rejection{Rejection::Reason::unknown_prompt,
                     "Unknown prompt: " + name + words_if(catalog.is_withdrawn_prompt(name))};
  }
  if (const auto checked = check_arguments(params.find("arguments")); checked.has_error()) return checked.error();

  const auto arguments = arguments_or_none(params.find("arguments"));
  for (const auto [argument, value] : arguments.members()) {
    if (!value.is_string()) {
      return Rejection{Rejection::Reason::malformed_arguments,
                       "Prompt argument \"" + std::string(argument) + "\" must be a string"};
    }
  }
  for (const auto& required : served->component->required_arguments) {
    if (!arguments.contains(required)) {
      return Rejection{Rejection::Reason::malformed_arguments,
                       "Prompt " + name + " needs the argument \"" + required + "\""};
    }
  }
  if (const auto checked = check_rule(*served, "prompt", name, arguments); checked.has_error()) return checked.error();
  const auto own_name = own_name_json(params.find("name"), served->component->alias_of);
  return CallPlan{served->plugin, PluginMethod::prompts_get,
                  plugin_params({{"arguments", arguments.text()}, {"name", own_name}}), name, other_meta(params)};
}

Planned within_limits(Planned planned, const SenderLimits* limits) {
  if (limits == nullptr || planned.has_error()) return planned;
  const auto kind = kind_of(planned->method);
  if (!kind) return planned;
  std::string storage;
  const bool has_uri = *kind == ComponentPattern::Kind::resource;
  const auto verdict =
      limits->admit_call(*kind, has_uri ? normalized_uri(planned->component, storage) : planned->component);
  if (!verdict.refusal) return planned;
  auto error = limit_error(*verdict.refusal);
  return Rejection{
      Rejection::Reason::limited, std::move(error.message), std::move(error.data), {}, std::move(error.limit)};
}

}  // namespace mcph
