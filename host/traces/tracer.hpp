// Makes spans of the requests of clients, and of what plugins have of them: OpenTelemetry's semantic conventions for
// MCP. A request belongs to the trace that its _meta names, if it names one, and is recorded if that is; of the others
// a share is recorded, each the first of a trace of its own. Owned by who assembles the program, which outlives the
// protocol; any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "protocol/call_observer.hpp"
#include "traces/span_exporter.hpp"

namespace mcph {

// The halves of ids of traces, and those of spans: none comes twice in one process, and they are spread as random ones
// are. Who sees one can work out the others: no secret may be made of them.
class SpanIds {
 public:
  explicit SpanIds(std::uint64_t seed) : seed_(seed) {}

  // Not 0.
  std::uint64_t next();

 private:
  const std::uint64_t seed_;
  std::atomic<std::uint64_t> count_{0};
};

class Tracer final : public CallObserver {
 public:
  // The exporter outlives it. `ratio` is the share of traces that begin here which are recorded, 0 to 1.
  Tracer(SpanExporter& exporter, double ratio, std::uint64_t seed);

  std::shared_ptr<const TraceSpan> begin_span(JsonValue meta, const Arrival& arrival) override;
  std::shared_ptr<const TraceSpan> begin_part(const TraceSpan& span) override;
  void ended(const CallEnd& end) override;
  void plugin_ended(const PluginCallEnd& end) override;

 private:
  SpanExporter& exporter_;
  const std::uint64_t threshold_;  // below which the upper 63 bits of a trace's last half are where it is recorded
  SpanIds ids_;
};

}  // namespace mcph
