// Spans as OTLP has them in JSON (opentelemetry-proto, trace/v1/trace.proto, in the form of ProtoJSON): written as text
// right away, because a tree of values in between would take longer than a quick call does. Free functions.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "protocol/call_observer.hpp"

namespace mcph {

// {"key": ..., "value": {"stringValue": ...}}
std::string attribute_text(std::string_view key, std::string_view value);

// A span, from its beginning to its end; the functions are called in this order, then text.
class SpanText {
 public:
  // As SpanKind has them.
  enum class Kind { internal = 1, server = 2 };

  SpanText(const TraceSpan& span, Kind kind, std::string_view name, std::string_view target,
           std::chrono::system_clock::time_point end, std::chrono::nanoseconds took);
  // Left out where the value is empty.
  void attribute(std::string_view key, std::string_view value);
  // `link` is a traceparent, or empty.
  std::string text(bool is_error, std::string_view link) &&;

 private:
  std::string text_;
  bool has_attributes_ = false;
};

}  // namespace mcph
