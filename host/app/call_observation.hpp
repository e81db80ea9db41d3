// Who observes the requests of clients, as the configuration wants it: metrics, traces and the dashboard. Made before
// the host and gone after it, because what is left of its work may be observed until then. Owned by the command that
// serves.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "config/config.hpp"
#include "dashboard/recent_calls.hpp"
#include "http/client/http_caller.hpp"
#include "metrics/request_metrics.hpp"
#include "protocol/call_observers.hpp"
#include "telemetry/log.hpp"
#include "traces/span_exporter.hpp"
#include "traces/tracer.hpp"

namespace mcph {

class CallObservation {
 public:
  // `serves_http`: there can be metrics and a dashboard, for which it observes. Fails where the headers for the
  // collector cannot be read. The log outlives it.
  static Result<std::unique_ptr<CallObservation>> create(const Config& config, bool serves_http, Log& log);

  // Null: nobody observes them.
  CallObserver* observer() { return observers_ ? &*observers_ : nullptr; }
  RequestMetrics& requests() { return requests_; }
  // Null: there is no dashboard to show them.
  const RecentCalls* recent() const { return recent_ ? &*recent_ : nullptr; }
  // Null: there are no traces.
  const SpanExporter* exporter() const { return exporter_ ? &*exporter_ : nullptr; }

  // Begins to send traces; the caller outlives stop.
  void run(HttpCaller& caller);
  // Lets the collector have what there is.
  void stop();

 private:
  CallObservation() = default;

  RequestMetrics requests_;
  std::optional<RecentCalls> recent_;
  std::optional<SpanExporter> exporter_;
  std::optional<Tracer> tracer_;
  std::optional<CallObservers> observers_;
};

}  // namespace mcph
