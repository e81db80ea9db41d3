#include "protocol/calls/component_calls.hpp"

#include <optional>
#include <utility>

#include "base/json_text.hpp"
#include "base/uri.hpp"
#include "protocol/limit_error.hpp"

namespace mcph {
namespace {

std::optional<Rejection> require_string(const Json& params, const char* field) {
  const auto found = params.find(field);
  if (found != params.end() && found->is_string()) return std::nullopt;
  return Rejection{Rejection::Reason::malformed, std::string("params.") + field + " must be a string"};
}

// The request's own _meta is not the component's business; the plugin learns of it by the call's context. Answers,
// and what it wanted to have handed back with them, come to it from the host, which has checked them.
Json take_meta(Json& params) {
  params.erase("inputResponses");
  params.erase("requestState");
  params.erase("inputState");
  const auto found = params.find("_meta");
  if (found == params.end()) return nullptr;
  auto meta = std::move(*found);
  params.erase(found);
  return meta;
}

// Clients may leave "arguments" out; the plugin always finds an object.
std::optional<Rejection> complete_arguments(Json& params) {
  auto& arguments = params["arguments"];
  if (arguments.is_null()) arguments = Json::object();
  if (arguments.is_object()) return std::nullopt;
  return Rejection{Rejection::Reason::malformed_arguments, "params.arguments must be an object"};
}

// By which its plugin knows it, where that is another one.
void take_own_name(Json& params, const std::string& own_name) {
  if (!own_name.empty()) params["name"] = own_name;
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
std::optional<Rejection> check_rule(const Served<Component>& served, const char* kind, const std::string& name,
                                    const Json& arguments) {
  if (served.rule == nullptr) return std::nullopt;
  auto why_not = served.rule->check(arguments);
  if (!why_not) return std::nullopt;
  return Rejection{Rejection::Reason::not_permitted,
                   "The " + std::string(kind) + " " + name + " is not permitted " + why_not->words,
                   why_not->scopes.empty() ? Json() : Json({{"requiredScopes", why_not->scopes}}),
                   why_not->scopes,
                   {},
                   std::move(why_not->rule)};
}

}  // namespace

Planned plan_call(PluginMethod method, const Catalog& catalog, Json params) {
  if (method == PluginMethod::tools_call) return plan_tool_call(catalog, std::move(params));
  if (method == PluginMethod::resources_read) return plan_resource_read(catalog, std::move(params));
  return plan_prompt_get(catalog, std::move(params));
}

Planned plan_tool_call(const Catalog& catalog, Json params) {
  return plan_tool_call(catalog, std::move(params), nullptr);
}

Planned plan_tool_call(const Catalog& catalog, Json params, const MirroredFields* mirrored) {
  auto meta = take_meta(params);
  if (auto rejection = require_string(params, "name")) return *std::move(rejection);
  const auto name = params["name"].get<std::string>();
  const auto* served = catalog.find_tool(name);
  if (served == nullptr) return Rejection{Rejection::Reason::unknown_tool, "Unknown tool: " + name};
  if (auto rejection = complete_arguments(params)) return *std::move(rejection);

  auto& arguments = params["arguments"];
  const auto& headers = served->component->parameter_headers;
  if (mirrored != nullptr && !headers.empty()) {
    if (auto mismatch = mirrored->check_arguments(headers, arguments)) {
      return Rejection{Rejection::Reason::header_mismatch, std::move(mismatch->message)};
    }
  }
  const auto& schema = served->component->input_schema;
  auto violation = schema.validate(arguments);
  if (!violation) violation = schema.apply_defaults(arguments);
  if (violation) {
    return Rejection{Rejection::Reason::invalid_arguments,
                     "Invalid arguments for tool " + name + ": " + violation->message,
                     {{"path", violation->path}, {"keyword", violation->keyword}}};
  }
  if (auto rejection = check_rule(*served, "tool", name, arguments)) return *std::move(rejection);
  take_own_name(params, served->component->alias_of);
  return CallPlan{served->plugin,
                  PluginMethod::tools_call,
                  dump(params),
                  name,
                  std::move(meta),
                  served->component->task_support,
                  served->component->output_schema,
                  served->component->time_limit,
                  served->component->price};
}

Planned plan_resource_read(const Catalog& catalog, Json params) {
  auto meta = take_meta(params);
  if (auto rejection = require_string(params, "uri")) return *std::move(rejection);
  const auto uri = params["uri"].get<std::string>();
  // The host's own words to the plugin; what a client puts there has not been checked.
  params.erase("uriTemplate");
  params.erase("variables");
  if (const auto* served = catalog.find_resource(uri)) {
    params["uri"] = served->component->original_uri;
    return CallPlan{served->plugin, PluginMethod::resources_read, dump(params), uri, std::move(meta)};
  }
  if (auto match = catalog.match_template(uri)) {
    params["uriTemplate"] = match->served->component->uri_template.original();
    params["variables"] = std::move(match->variables);
    return CallPlan{match->served->plugin, PluginMethod::resources_read, dump(params), uri, std::move(meta)};
  }
  return Rejection{Rejection::Reason::unknown_resource, "Resource not found: " + uri, {{"uri", uri}}};
}

Planned plan_prompt_get(const Catalog& catalog, Json params) {
  auto meta = take_meta(params);
  if (auto rejection = require_string(params, "name")) return *std::move(rejection);
  const auto name = params["name"].get<std::string>();
  const auto* served = catalog.find_prompt(name);
  if (served == nullptr) return Rejection{Rejection::Reason::unknown_prompt, "Unknown prompt: " + name};
  if (auto rejection = complete_arguments(params)) return *std::move(rejection);

  const auto& arguments = params["arguments"];
  for (const auto& [argument, value] : arguments.items()) {
    if (!value.is_string()) {
      return Rejection{Rejection::Reason::malformed_arguments, "Prompt argument \"" + argument + "\" must be a string"};
    }
  }
  for (const auto& required : served->component->required_arguments) {
    if (!arguments.contains(required)) {
      return Rejection{Rejection::Reason::malformed_arguments,
                       "Prompt " + name + " needs the argument \"" + required + "\""};
    }
  }
  if (auto rejection = check_rule(*served, "prompt", name, arguments)) return *std::move(rejection);
  take_own_name(params, served->component->alias_of);
  return CallPlan{served->plugin, PluginMethod::prompts_get, dump(params), name, std::move(meta)};
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
