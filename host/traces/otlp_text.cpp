#include "traces/otlp_text.hpp"

#include "base/json_text.hpp"

namespace mcph {
namespace {

void append_attribute(std::string& text, std::string_view key, std::string_view value) {
  text.append(R"({"key":")").append(key).append(R"(","value":{"stringValue":)");
  append_json_string(text, value);
  text.append("}}");
}

}  // namespace

std::string attribute_text(std::string_view key, std::string_view value) {
  std::string text;
  append_attribute(text, key, value);
  return text;
}

SpanText::SpanText(const TraceSpan& span, Kind kind, std::string_view name, std::string_view target,
                   std::chrono::system_clock::time_point end, std::chrono::nanoseconds took) {
  constexpr std::size_t usual_size = 1000;
  text_.reserve(usual_size);
  text_.append(R"({"traceId":")").append(span.trace_id);
  text_.append(R"(","spanId":")").append(span.span_id);
  if (!span.parent_id.empty()) text_.append(R"(","parentSpanId":")").append(span.parent_id);
  text_.append("\"");
  if (!span.state.empty()) {
    text_.append(R"(,"traceState":)");
    append_json_string(text_, span.state);
  }
  std::string whole(name);
  if (!target.empty()) whole.append(" ").append(target);
  text_.append(R"(,"name":)");
  append_json_string(text_, whole);
  const auto until = std::chrono::duration_cast<std::chrono::nanoseconds>(end.time_since_epoch());
  text_.append(R"(,"kind":)").append(std::to_string(static_cast<int>(kind)));
  text_.append(R"(,"startTimeUnixNano":")").append(std::to_string((until - took).count()));
  text_.append(R"(","endTimeUnixNano":")").append(std::to_string(until.count()));
  text_.append(R"(","attributes":[)");
}

void SpanText::attribute(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  if (has_attributes_) text_.append(",");
  has_attributes_ = true;
  append_attribute(text_, key, value);
}

std::string SpanText::text(bool is_error, std::string_view link) && {
  text_.append("]");
  if (!link.empty()) {
    constexpr std::size_t trace_at = 3;
    constexpr std::size_t span_at = 36;
    text_.append(R"(,"links":[{"traceId":")").append(link.substr(trace_at, 32));
    text_.append(R"(","spanId":")").append(link.substr(span_at, 16)).append(R"("}])");
  }
  // Of one that went well nothing is said (OpenTelemetry, "Set Status").
  if (is_error) text_.append(R"(,"status":{"code":2})");
  text_.append("}");
  return std::move(text_);
}

}  // namespace mcph
