#include "sources/upstream/upstream_wire.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "base/base64.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"

namespace mcph {
namespace {

constexpr std::array<std::string_view, 4> legacy_revisions{"2024-11-05", "2025-03-26", "2025-06-18",
                                                           last_legacy_revision};
// As deep as an answer of a plugin may be.
constexpr std::size_t max_message_depth = 128;
constexpr std::string_view reserved = "io.modelcontextprotocol/";
constexpr std::string_view of_this_host = "mcp-plugin-host/";

Json client_info() {
  return {{"name", "mcp-plugin-host"}, {"title", "MCP Plugin Host"}, {"version", host_version}};
}

// The name or URI that HTTP repeats.
std::string name_in(std::string_view method, const Json& params) {
  const char* const member = method == "resources/read" ? "uri" : "name";
  if (method != "tools/call" && method != "prompts/get" && method != "resources/read") return {};
  return params.value(member, "");
}

UpstreamMessage message_to(const UpstreamPeer& peer, UpstreamMessageKind kind, const Json& json) {
  UpstreamMessage message{.text = dump(json), .kind = kind, .revision = peer.revision, .is_modern = peer.is_modern};
  message.method = json.value("method", "");
  return message;
}

Result<from_upstream::Message> read_answer(Json& json) {
  const auto& id = json["id"];
  if (!id.is_number_unsigned()) return fail("answers a request that the host has not made");
  from_upstream::Answer answer{.id = id.get<std::uint64_t>(), .outcome = Json()};
  const bool has_result = json.contains("result");
  if (has_result == json.contains("error")) return fail("is an answer with both a result and an error, or neither");
  if (has_result) {
    if (!json["result"].is_object()) return fail("has a result that is no object");
    answer.outcome = std::move(json["result"]);
    return from_upstream::Message(std::move(answer));
  }
  const auto& error = json["error"];
  const bool is_whole = error.is_object() && error.contains("code") && error["code"].is_number_integer() &&
                        error.contains("message") && error["message"].is_string();
  if (!is_whole) return fail("has an error without a code and a message");
  const auto code = error["code"].get<std::int64_t>();
  answer.outcome = UpstreamError{std::in_range<int>(code) ? static_cast<int>(code) : -32603,
                                 error["message"].get<std::string>(), error.value("data", Json())};
  return from_upstream::Message(std::move(answer));
}

std::optional<std::uint64_t> number_at(std::string_view text, std::size_t& at) {
  std::uint64_t number = 0;
  while (at < text.size() && text[at] == ' ')
    ++at;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  at = static_cast<std::size_t>(end - text.data());
  return number;
}

}  // namespace

bool is_legacy_revision(std::string_view revision) {
  return std::ranges::find(legacy_revisions, revision) != legacy_revisions.end();
}

bool UpstreamPeer::can(const char* capability, const char* part) const {
  const auto found = capabilities.find(capability);
  return found != capabilities.end() && found->is_object() && found->value(part, Json()) == true;
}

Json client_capabilities(bool is_modern) {
  Json capabilities = {{"elicitation", {{"form", Json::object()}, {"url", Json::object()}}},
                       {"sampling", Json::object()},
                       {"roots", Json::object()}};
  if (!is_modern) capabilities["sampling"] = {{"context", Json::object()}, {"tools", Json::object()}};
  return capabilities;
}

Json initialize_params() {
  return {{"protocolVersion", last_legacy_revision},
          {"capabilities", client_capabilities(false)},
          {"clientInfo", client_info()}};
}

UpstreamMessage request_to(const UpstreamPeer& peer, std::uint64_t id, std::string_view method, Json params,
                           const RequestMeta& meta) {
  auto all = meta.own.is_object() ? meta.own : Json::object();
  if (peer.is_modern) {
    const auto key = [](const char* name) { return std::string(reserved) + name; };
    all[key("protocolVersion")] = peer.revision;
    all[key("clientInfo")] = client_info();
    all[key("clientCapabilities")] = meta.capabilities.is_object() ? meta.capabilities : client_capabilities(true);
    if (meta.wants_log) all[key("logLevel")] = "info";
  }
  if (meta.wants_progress) all["progressToken"] = id;
  if (!all.empty()) params["_meta"] = std::move(all);
  auto name = name_in(method, params);
  Json json = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.empty()) json["params"] = std::move(params);
  auto message = message_to(peer, UpstreamMessageKind::request, json);
  message.id = std::to_string(id);
  message.name = std::move(name);
  message.is_long = method == "subscriptions/listen";
  return message;
}

UpstreamMessage notification_to(const UpstreamPeer& peer, std::string_view method, Json params) {
  Json json = {{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.empty()) json["params"] = std::move(params);
  return message_to(peer, UpstreamMessageKind::notification, json);
}

UpstreamMessage answer_to(const UpstreamPeer& peer, const Json& id, const Json& result) {
  return message_to(peer, UpstreamMessageKind::response, {{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

UpstreamMessage error_to(const UpstreamPeer& peer, const Json& id, int code, std::string_view message) {
  return message_to(peer, UpstreamMessageKind::response,
                    {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

namespace from_upstream {

Result<Message> read(std::string_view text) {
  auto parsed = parse_json(text, max_message_depth);
  if (parsed.has_error()) return fail("is no JSON: " + parsed.error().message);
  auto& json = *parsed;
  if (!json.is_object()) return fail("is no JSON object");
  const auto method = json.find("method");
  if (method == json.end()) {
    if (!json.contains("id")) return fail("has neither a method nor an id");
    return read_answer(json);
  }
  if (!method->is_string()) return fail("has a method that is no string");
  auto params = json.contains("params") ? std::move(json["params"]) : Json::object();
  if (!params.is_object()) return fail("has params that are no object");
  const auto id = json.find("id");
  if (id == json.end()) return Message(Notification{method->get<std::string>(), std::move(params)});
  if (!id->is_string() && !id->is_number_integer())
    return fail("has an id that is neither a string nor a whole number");
  return Message(Request{*id, method->get<std::string>(), std::move(params)});
}

std::optional<std::uint64_t> answered_request(std::string_view beginning, std::string_view end) {
  for (const std::string_view start : {R"({"jsonrpc":"2.0","id":)", R"({"jsonrpc": "2.0", "id":)", R"({"id":)"}) {
    if (!beginning.starts_with(start)) continue;
    auto at = start.size();
    const auto number = number_at(beginning, at);
    // A request has a method, which comes next where it is not among the last.
    const auto rest = beginning.substr(std::min(at, beginning.size()));
    const auto outcome = std::min(rest.find(R"("result")"), rest.find(R"("error")"));
    if (number && outcome < rest.find(R"("method")")) return number;
  }
  constexpr std::string_view id = R"("id":)";
  const auto found = end.rfind(id);
  if (found == std::string_view::npos || found == 0 || end[found - 1] != ',') return std::nullopt;
  auto at = found + id.size();
  const auto number = number_at(end, at);
  return number && end.substr(at) == "}" ? number : std::nullopt;
}

}  // namespace from_upstream

bool is_modern_error(const UpstreamError& error) {
  // Of 2026-07-28: header mismatch, missing capability, unsupported version.
  return error.code >= -32022 && error.code <= -32020;
}

Json without_envelope(Json result) {
  result.erase("resultType");
  const auto meta = result.find("_meta");
  if (meta == result.end() || !meta->is_object()) return result;
  std::vector<std::string> between;
  for (const auto& [key, value] : meta->items()) {
    if (key.starts_with(reserved) || key.starts_with(of_this_host)) between.push_back(key);
  }
  for (const auto& key : between)
    meta->erase(key);
  if (meta->empty()) result.erase(meta);
  return result;
}

std::vector<std::pair<std::string, std::string>> parameter_fields(const std::vector<ParameterHeader>& headers,
                                                                  const Json& arguments) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const auto& [name, path] : headers) {
    const auto* value = &arguments;
    for (const auto& key : path) {
      const auto found = value->is_object() ? value->find(key) : value->end();
      value = value->is_object() && found != value->end() ? &*found : nullptr;
      if (value == nullptr) break;
    }
    if (value == nullptr || value->is_null() || value->is_structured()) continue;
    fields.emplace_back(name, encode_mcp_header_value(value->is_string() ? value->get<std::string>() : dump(*value)));
  }
  return fields;
}

Json passed_on_meta(const Json& context) {
  auto meta = context.value("meta", Json::object());
  if (!meta.is_object()) meta = Json::object();
  std::vector<std::string> between;
  for (const auto& [key, value] : meta.items()) {
    if (key == "progressToken" || key.starts_with(reserved) || key.starts_with(of_this_host)) between.push_back(key);
  }
  for (const auto& key : between)
    meta.erase(key);
  if (const auto trace = context.find("trace"); trace != context.end() && trace->is_object()) meta.update(*trace);
  return meta;
}

}  // namespace mcph
