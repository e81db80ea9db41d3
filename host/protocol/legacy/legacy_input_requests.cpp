#include "protocol/legacy/legacy_input_requests.hpp"

#include <algorithm>

#include "base/base64.hpp"
#include "base/json_text.hpp"
#include "base/random_bytes.hpp"
#include "protocol/capabilities.hpp"
#include "protocol/legacy/legacy_content.hpp"

namespace mcph {
namespace {

constexpr std::string_view elicitation_since = "2025-06-18";
// URL mode, choices of several values, titled choices, tools in sampling.
constexpr std::string_view rich_requests_since = "2025-11-25";

std::string too_old(std::string_view what, const Caller& caller) {
  return "This needs " + std::string(what) + ", which this client's protocol revision " + caller.protocol_version +
         " does not have";
}

// 2025-06-18 has the titles of a choice's values beside them, not with them.
void untitle(OrderedJson& field) {
  const auto titled = field.find("oneOf");
  if (titled == field.end() || !titled->is_array()) return;
  auto values = OrderedJson::array();
  auto names = OrderedJson::array();
  for (const auto& option : *titled) {
    if (!option.is_object() || !option.contains("const")) return;
    values.push_back(option["const"]);
    names.push_back(option.value("title", option["const"]));
  }
  field.erase(titled);
  field["enum"] = std::move(values);
  field["enumNames"] = std::move(names);
}

std::optional<std::string> fit_elicitation(OrderedJson& params, const Caller& caller) {
  if (caller.protocol_version < elicitation_since) return too_old("elicitation", caller);
  if (params.value("mode", OrderedJson()) == "url") {
    if (caller.protocol_version < rich_requests_since) return too_old("a page to visit", caller);
    // Where the plugin will not tell of the end there is nothing that the id must be known for.
    if (!params.contains("elicitationId")) params["elicitationId"] = base64url_encode(random_bytes(16));
    return std::nullopt;
  }
  if (caller.protocol_version >= rich_requests_since) return std::nullopt;
  params.erase("mode");
  for (auto& field : params["requestedSchema"]["properties"]) {
    if (field["type"] == "array") return too_old("a choice of several values in a form", caller);
    untitle(field);
  }
  return std::nullopt;
}

// Any value is allowed there only from 2026-07-28 on, and any schema.
void drop_structured_values(OrderedJson& params) {
  const auto drop = [](OrderedJson& block) {
    const auto structured = block.find("structuredContent");
    if (block["type"] == "tool_result" && structured != block.end() && !structured->is_object())
      block.erase(structured);
  };
  for (auto& message : params["messages"]) {
    auto& content = message["content"];
    content.is_array() ? static_cast<void>(std::ranges::for_each(content, drop)) : drop(content);
  }
  const auto tools = params.find("tools");
  if (tools == params.end()) return;
  for (auto& tool : *tools) {
    const auto schema = tool.is_object() ? tool.find("outputSchema") : tool.end();
    if (schema != tool.end() && (!schema->is_object() || schema->value("type", OrderedJson()) != "object"))
      tool.erase(schema);
  }
}

std::optional<std::string> fit_sampling(OrderedJson& params, const Caller& caller) {
  if (caller.protocol_version >= rich_requests_since) {
    drop_structured_values(params);
    return std::nullopt;
  }
  for (auto& message : params["messages"]) {
    auto& content = message["content"];
    if (content.is_array() && content.size() == 1) content = OrderedJson(content[0]);
    if (content.is_array()) return too_old("messages of several contents in sampling", caller);
    const auto type = content.is_object() ? content.value("type", OrderedJson()) : OrderedJson();
    if (type == "tool_use" || type == "tool_result") return too_old("tools in sampling", caller);
    if (type == "audio" && caller.protocol_version < audio_since) return too_old("audio", caller);
  }
  return std::nullopt;
}

std::optional<std::string> fit_input_request(OrderedJson& request, const Caller& caller) {
  const auto method = method_of(request);
  if (method == Method::elicitation_create) return fit_elicitation(request["params"], caller);
  if (method == Method::sampling_create_message) return fit_sampling(request["params"], caller);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fit_input_requests(OrderedJson& requests, const Caller& caller) {
  for (auto& request : requests) {
    if (auto why_not = fit_input_request(request, caller)) return why_not;
  }
  auto capabilities = caller.capabilities;
  if (caller.protocol_version < rich_requests_since) {
    // There it has no parts: one with members is that of forms, too.
    const auto elicitation = capabilities.find("elicitation");
    if (elicitation != capabilities.end() && elicitation->is_object()) (*elicitation)["form"] = Json::object();
  } else {
    drop_undeclared_context(requests, capabilities);
  }
  const auto missing = missing_capabilities(requests, capabilities);
  if (missing.empty()) return std::nullopt;
  return "This needs client capabilities that this client does not declare: " + dump(missing);
}

}  // namespace mcph
