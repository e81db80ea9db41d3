#include "traces/tracer.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "base/hexadecimal.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "protocol/caller.hpp"
#include "protocol/calls/trace_context.hpp"
#include "traces/otlp_text.hpp"

namespace mcph {
namespace {

// In bytes, of what a client says.
constexpr std::size_t max_name = 200;
constexpr std::size_t max_uri = 1000;
constexpr std::size_t max_id_bytes = 100;

// Of a traceparent.
constexpr std::size_t trace_id_at = 3;
constexpr std::size_t span_id_at = 36;
constexpr std::size_t flags_at = 53;

bool is_sampled(std::string_view trace_parent) {
  const char low = trace_parent[flags_at + 1];
  return (low >= 'a' ? low - 'a' + 10 : low - '0') % 2 == 1;
}

std::uint64_t threshold_of(double ratio) {
  constexpr auto all = std::uint64_t{1} << 63U;
  return ratio >= 1 ? all : static_cast<std::uint64_t>(ratio * static_cast<double>(all));
}

// A string's own text; of a number its digits.
std::string words_of_id(std::string_view json) {
  if (json.size() > max_id_bytes) return {};
  return json.starts_with('"') ? read_json(json).get<std::string>() : std::string(json);
}

// OpenTelemetry, "error.type"; empty where it went well.
std::string error_type(const CallEnd& end) {
  switch (end.outcome) {
    case CallEnd::Outcome::result:
      return {};
    case CallEnd::Outcome::tool_error:
      return "tool_error";
    case CallEnd::Outcome::abandoned:
      return "cancelled";
    case CallEnd::Outcome::error:
      break;
  }
  return std::to_string(end.error_code);
}

}  // namespace

// SplitMix64 (Steele, Lea and Flood, 2014), whose step and whose mixing are each a bijection.
std::uint64_t SpanIds::next() {
  constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;
  for (;;) {
    auto id = seed_ + step * count_.fetch_add(1, std::memory_order_relaxed);
    id = (id ^ (id >> 30U)) * 0xBF58476D1CE4E5B9U;
    id = (id ^ (id >> 27U)) * 0x94D049BB133111EBU;
    id ^= id >> 31U;
    if (id != 0) return id;
  }
}

Tracer::Tracer(SpanExporter& exporter, double ratio, std::uint64_t seed)
    : exporter_(exporter), threshold_(threshold_of(ratio)), ids_(seed) {}

std::shared_ptr<const TraceSpan> Tracer::begin_span(JsonValue meta, const Arrival& arrival) {
  TraceSpan span;
  const auto context = meta.contains("traceparent") ? trace_context_in(meta.json()) : Json();
  if (!context.is_null()) {
    const auto& parent = context["traceparent"].get_ref<const std::string&>();
    if (!is_sampled(parent)) return nullptr;
    span.trace_id = parent.substr(trace_id_at, 32);
    span.parent_id = parent.substr(span_id_at, 16);
    span.state = context.value("tracestate", "");
  } else {
    const auto half = ids_.next();
    if (half >> 1U >= threshold_) return nullptr;
    span.trace_id = hexadecimal(ids_.next()) + hexadecimal(half);
  }
  span.span_id = hexadecimal(ids_.next());
  if (is_trace_parent(arrival.trace_parent)) span.link = arrival.trace_parent;
  return std::make_shared<const TraceSpan>(std::move(span));
}

std::shared_ptr<const TraceSpan> Tracer::begin_part(const TraceSpan& span) {
  return std::make_shared<const TraceSpan>(
      TraceSpan{span.trace_id, hexadecimal(ids_.next()), span.span_id, span.state});
}

void Tracer::ended(const CallEnd& end) {
  const auto& call = end.call;
  if (call.span == nullptr) return;
  const std::string_view method = call.method ? name_of(*call.method) : utf8_prefix(call.unknown_method, max_name);
  const bool is_tool = call.method == Method::tools_call;
  const bool is_prompt = call.method == Method::prompts_get;
  const auto name = utf8_prefix(call.component, max_name);
  const std::string_view target = call.is_served && (is_tool || is_prompt) ? name : std::string_view();
  SpanText text(*call.span, SpanText::Kind::server, method, target, std::chrono::system_clock::now(), end.took);
  text.attribute("mcp.method.name", method);
  if (call.caller != nullptr) text.attribute("mcp.protocol.version", call.caller->protocol_version);
  if (is_tool) {
    text.attribute("gen_ai.operation.name", "execute_tool");
    text.attribute("gen_ai.tool.name", name);
  }
  if (is_prompt) text.attribute("gen_ai.prompt.name", name);
  if (call.method == Method::resources_read) text.attribute("mcp.resource.uri", utf8_prefix(call.component, max_uri));
  text.attribute("jsonrpc.request.id", words_of_id(call.id));
  const bool is_http = call.transport == NetworkTransport::tcp;
  text.attribute("network.transport", is_http ? "tcp" : "pipe");
  if (is_http) text.attribute("network.protocol.name", "http");
  const auto error = error_type(end);
  text.attribute("error.type", error);
  if (end.error_code != 0) text.attribute("rpc.response.status_code", error);
  exporter_.add(std::move(text).text(!error.empty(), call.span->link));
}

void Tracer::plugin_ended(const PluginCallEnd& end) {
  SpanText text(end.span, SpanText::Kind::internal, "plugin", end.plugin, std::chrono::system_clock::now(), end.took);
  text.attribute("mcp.method.name", end.method);
  text.attribute("mcph.plugin.name", end.plugin);
  text.attribute("mcph.plugin.outcome", end.outcome);
  exporter_.add(std::move(text).text(end.is_error, {}));
}

}  // namespace mcph
