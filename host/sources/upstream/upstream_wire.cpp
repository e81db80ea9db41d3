#include "sources/upstream/upstream_wire.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "base/base64.hpp"
#include "base/json_members.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"

namespace mcph {
namespace {

constexpr std::array<std::string_view, 4> legacy_revisions{"2024-11-05", "2025-03-26", "2025-06-18",
                                                           last_legacy_revision};
// Of a text that is read as a tree; of a longer one, what separates its values.
constexpr std::size_t max_read_bytes = std::size_t{1} << 20;
constexpr std::ptrdiff_t max_separators = 100'000;
constexpr std::string_view reserved = "io.modelcontextprotocol/";
constexpr std::string_view of_this_host = "mcp-plugin-host/";

Json client_info() {
  return {{"name", "mcp-plugin-host"}, {"title", "MCP Plugin Host"}, {"version", host_version}};
}

// Members of _meta that say the same in each request.
const std::string& client_info_member() {
  static const std::string member = R"("io.modelcontextprotocol/clientInfo":)" + dump(client_info());
  return member;
}

const std::string& host_capabilities() {
  static const std::string text = dump(client_capabilities(true));
  return text;
}

std::string meta_members(const UpstreamPeer& peer, std::string_view id, const RequestMeta& meta) {
  std::string members = meta.own;
  if (peer.is_modern) {
    append_json_member(members, "io.modelcontextprotocol/protocolVersion", "\"" + peer.revision + "\"");
    members.append(",").append(client_info_member());
    append_json_member(members, "io.modelcontextprotocol/clientCapabilities",
                       meta.capabilities.empty() ? host_capabilities() : meta.capabilities);
    if (meta.wants_log) append_json_member(members, "io.modelcontextprotocol/logLevel", "\"info\"");
  }
  if (meta.wants_progress) append_json_member(members, "progressToken", id);
  return members;
}

// Of keys of _meta, which are as they were written: what the two of a connection say to each other.
bool is_between(std::string_view key) {
  return key.starts_with(reserved) || key.starts_with(of_this_host);
}

UpstreamMessage message_to(const UpstreamPeer& peer, UpstreamMessageKind kind, const Json& json) {
  return {.text = dump(json), .kind = kind, .revision = peer.revision, .is_modern = peer.is_modern};
}

Result<from_upstream::Message> read_answer(Json& json) {
  const auto& id = json["id"];
  if (!id.is_number_unsigned()) return fail("answers a request that the host has not made");
  from_upstream::Answer answer{.id = id.get<std::uint64_t>(), .outcome = std::string()};
  const bool has_result = json.contains("result");
  if (has_result == json.contains("error")) return fail("is an answer with both a result and an error, or neither");
  if (has_result) {
    if (!json["result"].is_object()) return fail("has a result that is no object");
    answer.outcome = dump(json["result"]);
    return from_upstream::Message(std::move(answer));
  }
  const auto& error = json["error"];
  const bool is_whole = error.is_object() && error.contains("code") && error["code"].is_number_integer() &&
                        error.contains("message") && error["message"].is_string();
  if (!is_whole) return fail("has an error without a code and a message");
  const auto code = error["code"].get<std::int64_t>();
  answer.outcome = UpstreamError{std::in_range<int>(code) ? static_cast<int>(code) : upstream_code::internal_error,
                                 error["message"].get<std::string>(), error.value("data", Json())};
  return from_upstream::Message(std::move(answer));
}

// A result as nearly all come: nothing else is in the message, and its keys are written plainly.
std::optional<from_upstream::Answer> read_plain_result(std::string_view text) {
  std::optional<std::uint64_t> id;
  std::string_view result;
  bool has_version = false;
  JsonMembers members(text);
  while (members.next()) {
    const auto value = members.value();
    if (members.key() == "jsonrpc" && !std::exchange(has_version, true)) continue;
    if (members.key() == "id" && !id) {
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
      id = number;
    } else if (members.key() == "result" && result.empty() && value.starts_with('{')) {
      result = value;
    } else {
      return std::nullopt;
    }
  }
  if (!members.is_whole() || !id || result.empty()) return std::nullopt;
  return from_upstream::Answer{*id, std::string(result)};
}

// How all write a value: of a whole number its digits. Nothing: it is beyond those that every reader of JSON has.
std::optional<std::string> field_text(const Json& value) {
  constexpr double most = 9007199254740991;  // 2 to the 53rd, less 1
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number()) return dump(value);
  const auto number = value.get<double>();
  if (std::abs(number) > most) return std::nullopt;
  if (std::trunc(number) != number) return dump(value);
  return std::to_string(value.is_number_integer() ? value.get<std::int64_t>() : static_cast<std::int64_t>(number));
}

// The members of a client's or an upstream's _meta without those; nothing: it has to be read to tell.
std::optional<std::string> meta_without_envelope(std::string_view meta) {
  std::string kept;
  JsonMembers members(meta);
  while (members.next()) {
    if (members.key().find('\\') != std::string_view::npos) return std::nullopt;
    if (!is_between(members.key())) members.append_to(kept);
  }
  return members.is_whole() ? std::optional(kept) : std::nullopt;
}

std::string envelope_removed(Json result) {
  result.erase("resultType");
  if (const auto time = result.find("ttlMs"); time != result.end() && time->is_number() && *time < 0)
    result.erase(time);
  const auto meta = result.find("_meta");
  if (meta == result.end() || !meta->is_object()) return dump(result);
  std::vector<std::string> between;
  for (const auto& [key, value] : meta->items()) {
    if (is_between(key)) between.push_back(key);
  }
  for (const auto& key : between)
    meta->erase(key);
  if (meta->empty()) result.erase(meta);
  return dump(result);
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

bool may_be_read(std::string_view text) {
  if (text.size() <= max_read_bytes) return true;
  const auto is_separator = [](char c) { return c == ',' || c == '[' || c == '{'; };
  return std::ranges::count_if(text, is_separator) <= max_separators;
}

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

UpstreamMessage request_to(const UpstreamPeer& peer, std::uint64_t id, Method method, std::string_view params,
                           const RequestMeta& meta) {
  UpstreamMessage message{
      .text = {}, .id = std::to_string(id), .method = method, .revision = peer.revision, .is_modern = peer.is_modern};
  const auto all = meta_members(peer, message.id, meta);
  auto& text = message.text;
  const auto name = name_of(method);
  text.reserve(params.size() + all.size() + name.size() + 96);
  text.append(R"({"jsonrpc":"2.0","id":)").append(message.id).append(R"(,"method":")").append(name).append("\"");
  if (!params.empty() || !all.empty()) text.append(R"(,"params":{)").append(params);
  if (!params.empty() && !all.empty()) text += ',';
  if (!all.empty()) text.append(R"("_meta":{)").append(all).append("}");
  text += params.empty() && all.empty() ? "}" : "}}";
  return message;
}

UpstreamMessage notification_to(const UpstreamPeer& peer, Method method, Json params) {
  Json json = {{"jsonrpc", "2.0"}, {"method", name_of(method)}};
  if (!params.empty()) json["params"] = std::move(params);
  auto message = message_to(peer, UpstreamMessageKind::notification, json);
  message.method = method;
  return message;
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
  if (auto result = read_plain_result(text)) return Message(*std::move(result));
  if (!may_be_read(text)) return fail("is no plain result, and has more in it than is read of anything else");
  auto parsed = parse_json(text, max_upstream_depth);
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
  auto ordered = parse_in_order(json_member(text, "params").value_or("{}"));
  return Message(Request{*id, method->get<std::string>(),
                         ordered.has_value() && ordered->is_object() ? *std::move(ordered) : OrderedJson(params)});
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
  return error.code >= upstream_code::unsupported_version && error.code <= upstream_code::header_mismatch;
}

bool is_legacy_refusal(const UpstreamError& error) {
  // The last two are what servers of the SDKs say where there is no session.
  constexpr std::array codes{upstream_code::method_not_found, upstream_code::invalid_request,
                             upstream_code::unsupported_version, -32000, -32001};
  return std::ranges::find(codes, error.code) != codes.end();
}

std::string result_type_of(std::string_view result) {
  const auto type = json_member(result, "resultType");
  return type ? json_string(*type).value_or(std::string(*type)) : "complete";
}

Result<OrderedJson> parse_in_order(std::string_view text, std::size_t max_depth) {
  auto ordered = parse_ordered_json(text, max_depth);
  if (ordered.has_value()) return ordered;
  const auto sorted = parse_json(text, max_depth);
  return sorted.has_value() ? parse_ordered_json(dump(*sorted), max_depth) : Result<OrderedJson>(sorted.error());
}

std::string without_envelope(std::string_view result) {
  std::string kept;
  bool is_plain = true;
  JsonMembers members(result);
  while (is_plain && members.next()) {
    is_plain = members.key().find('\\') == std::string_view::npos;
    if (members.key() == "resultType") continue;
    if (members.key() == "ttlMs" && members.value().starts_with('-')) continue;
    if (members.key() != "_meta" || !members.value().starts_with('{')) {
      members.append_to(kept);
      continue;
    }
    const auto meta = meta_without_envelope(members.value());
    is_plain = is_plain && meta.has_value();
    if (meta && !meta->empty()) append_json_member(kept, "_meta", "{" + *meta + "}");
  }
  if (is_plain && members.is_whole()) return "{" + kept + "}";
  auto json = parse_json(result, max_upstream_depth);
  return json.has_value() && json->is_object() ? envelope_removed(*std::move(json)) : std::string(result);
}

std::string without_caching_hints(const std::string& result) {
  auto json = parse_json(result, max_upstream_depth);
  if (json.has_error() || !json->is_object()) return result;
  json->erase("ttlMs");
  json->erase("cacheScope");
  return dump(*json);
}

Result<ParameterFields> parameter_fields(const std::vector<ParameterHeader>& headers, const Json& arguments) {
  ParameterFields fields;
  for (const auto& [name, path] : headers) {
    const auto* value = &arguments;
    for (const auto& key : path) {
      const auto found = value->is_object() ? value->find(key) : value->end();
      value = value->is_object() && found != value->end() ? &*found : nullptr;
      if (value == nullptr) break;
    }
    if (value == nullptr || value->is_null() || value->is_structured()) continue;
    const auto text = field_text(*value);
    if (!text) {
      return fail(": the argument " + path.back() + " is " + dump(*value) +
                  ", a number that is too large to be repeated in " + name);
    }
    fields.emplace_back(name, encode_mcp_header_value(*text));
  }
  return fields;
}

std::string passed_on_meta(std::string_view context) {
  std::string passed_on;
  // Of a trace, the host has its own part.
  const auto trace = json_member(context, "trace").value_or("{}");
  JsonMembers of_trace(trace);
  while (of_trace.next())
    of_trace.append_to(passed_on);
  JsonMembers meta(json_member(context, "meta").value_or("{}"));
  while (meta.next()) {
    // A trace context that is not in the trace is none (basic/index, "OpenTelemetry trace context").
    const bool is_of_trace = meta.key() == "traceparent" || meta.key() == "tracestate" || meta.key() == "baggage";
    if (meta.key() == "progressToken" || is_between(meta.key()) || is_of_trace) continue;
    meta.append_to(passed_on);
  }
  return passed_on;
}

}  // namespace mcph
