#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <mcp/host_rules.h>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "catalog/catalog.hpp"
#include "plugin/plugin_metrics.hpp"
#include "plugin/plugin_store.hpp"
#include "protocol/calls/completion.hpp"
#include "protocol/calls/component_calls.hpp"
#include "protocol/calls/input_requests.hpp"
#include "protocol/calls/plugin_result.hpp"
#include "protocol/result_members.hpp"

struct mcp_host_rules {
  std::string plugin;
  mcph::Catalog catalog;  // of this plugin alone
};

namespace mcph {
namespace {

std::string_view view(mcp_string text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

void write(const mcp_sink* sink, std::string_view text) {
  sink->write(sink->context, {text.data(), text.size()});
}

std::optional<PluginMethod> method_called(std::string_view name) {
  const auto found = std::ranges::find(plugin_method_names, name);
  if (found == plugin_method_names.end()) return std::nullopt;
  return static_cast<PluginMethod>(found - plugin_method_names.begin());
}

// What a client of the newest revision is answered. Only a resource that is not there has the code by which plugins say
// so: a test of a plugin compares with that, whoever has said it.
std::int32_t reject(const Rejection& rejection, const mcp_sink* text) {
  if (rejection.reason == Rejection::Reason::invalid_arguments) {
    write(text, "{" + tool_error_members(rejection.message) + "}");
    return MCP_OUTCOME_RESULT;
  }
  const auto code = rejection.reason == Rejection::Reason::unknown_resource ? error_code::resource_not_found
                                                                            : error_code::invalid_params;
  Json error = {{"code", code}, {"message", rejection.message}};
  if (!rejection.data.is_null()) error["data"] = rejection.data;
  write(text, dump(error));
  return MCP_OUTCOME_ERROR;
}

// A plugin may have given anything: what is no text is none, as in read_input_state.
std::string input_state_in(const Json& params) {
  const auto state = params.find("inputState");
  return state != params.end() && state->is_string() ? state->get<std::string>() : std::string();
}

std::int32_t admit(const Catalog& catalog, PluginMethod method, const Json& params, const mcp_sink* text) {
  auto planned = method == PluginMethod::completion_complete ? plan_completion(catalog, params)
                                                             : plan_call(method, catalog, params);
  if (!planned) {
    write(text, "{" + std::string(no_completion) + "}");
    return MCP_OUTCOME_RESULT;
  }
  if (planned->has_error()) return reject(planned->error(), text);
  write(text, with_answers((*planned)->params, params.value("inputResponses", Json()), input_state_in(params)));
  return MCP_HOST_RULES_ADMITTED;
}

std::optional<std::string> message_of(const auto& result) {
  return result.has_error() ? std::optional(result.error().message) : std::nullopt;
}

// What is wrong with it; nothing if nothing is.
std::optional<std::string> fault_of_answer(const Catalog& catalog, PluginMethod method, std::string_view component,
                                           std::int32_t outcome, std::string_view json) {
  if (outcome == MCP_OUTCOME_ERROR) return message_of(read_plugin_error(json));
  if (outcome == MCP_OUTCOME_INPUT_REQUIRED) {
    if (method == PluginMethod::completion_complete) return "it asks the client, which a completion cannot";
    return message_of(read_input_requests(json));
  }
  const auto* tool = method == PluginMethod::tools_call ? catalog.find_tool(component) : nullptr;
  return message_of(read_plugin_result(method, json, tool == nullptr ? std::nullopt : tool->component->output_schema));
}

std::optional<std::string> fault_of_input(const OrderedJson& request, const Json& answer) {
  if (method_of(request) != Method::resources_read) return mistake_in_answer(request, answer);
  if (answer.is_object() && answer.contains("error")) return message_of(read_plugin_error(dump(answer["error"])));
  return message_of(read_plugin_result(PluginMethod::resources_read, dump(answer)));
}

// As a client is asked: the host changes some of what a plugin may write.
Result<OrderedJson> read_input_request(std::string_view request) {
  auto requests = read_input_requests(R"({"inputRequests":{"request":)" + std::string(request) + "}}");
  if (requests.has_error()) return requests;
  return std::move((*requests)["request"]);
}

// Nonzero if nothing is wrong.
std::int32_t accept(const std::optional<std::string>& fault, const mcp_sink* error) {
  if (fault) write(error, *fault);
  return fault ? 0 : 1;
}

}  // namespace
}  // namespace mcph

mcp_host_rules* mcp_host_rules_create(mcp_string name, mcp_string description, const mcp_sink* error) {
  auto components = mcph::parse_components(mcph::view(description));
  if (components.has_error()) {
    mcph::write(error, components.error().message);
    return nullptr;
  }
  auto shared = std::make_shared<const mcph::Components>(*std::move(components));
  return new mcp_host_rules{std::string(mcph::view(name)), mcph::Catalog(0, {{nullptr, std::move(shared)}})};
}

void mcp_host_rules_destroy(mcp_host_rules* rules) {
  delete rules;
}

int32_t mcp_host_rules_admit(const mcp_host_rules* rules, mcp_string method, mcp_string params, const mcp_sink* text) {
  const auto called = mcph::method_called(mcph::view(method));
  const auto json = mcph::parse_json(mcph::view(params));
  if (!called || json.has_error() || !json->is_object()) {
    mcph::write(text, R"({"code":-32600,"message":"this is none of the requests that a plugin gets"})");
    return MCP_OUTCOME_ERROR;
  }
  return mcph::admit(rules->catalog, *called, *json, text);
}

int32_t mcp_host_rules_accept(const mcp_host_rules* rules, mcp_string method, mcp_string component, int32_t outcome,
                              mcp_string json, const mcp_sink* error) {
  if (outcome < MCP_OUTCOME_RESULT || outcome > MCP_OUTCOME_INPUT_REQUIRED) {
    return mcph::accept(
        "plugin " + rules->plugin + " completed the call with the unknown outcome " + std::to_string(outcome), error);
  }
  const auto called = mcph::method_called(mcph::view(method));
  if (!called) return 1;
  const auto name = mcph::view(component);
  auto fault = mcph::fault_of_answer(rules->catalog, *called, name, outcome, mcph::view(json));
  if (fault) fault = mcph::invalid_answer(rules->plugin, *called, name, *fault);
  return mcph::accept(fault, error);
}

int32_t mcp_host_rules_answer(mcp_string request, mcp_string answer, const mcp_sink* error) {
  const auto asked = mcph::read_input_request(mcph::view(request));
  if (asked.has_error()) return mcph::accept(asked.error().message, error);
  const auto json = mcph::parse_json(mcph::view(answer));
  return mcph::accept(json.has_error() ? json.error().message : mcph::fault_of_input(*asked, *json), error);
}

int32_t mcp_host_rules_store(mcp_string key, mcp_string value, const mcp_sink* error) {
  const auto refusal = mcph::check({.kind = mcph::StoreOperation::Kind::put,
                                    .key = std::string(mcph::view(key)),
                                    .value = std::string(mcph::view(value))});
  return mcph::accept(refusal ? std::optional(refusal->text) : std::nullopt, error);
}

int32_t mcp_host_rules_metric(int32_t kind, mcp_string name, mcp_string help, const double* bounds,
                              uint32_t bound_count, const mcp_sink* text) {
  const std::size_t count = bounds == nullptr ? 0 : bound_count;
  const auto kept = mcph::checked(mcph::declared_metric(kind, mcph::view(name), mcph::view(help), {bounds, count}));
  if (kept.has_error()) {
    mcph::write(text, kept.error().message);
    return 0;
  }
  mcph::write(text, mcph::dump(mcph::Json{{"name", kept->name}, {"bounds", kept->bounds}}));
  return 1;
}
