#include "app/call_observation.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "base/random_bytes.hpp"

namespace mcph {
namespace {

// For the last batch. The host has ended its calls by then.
constexpr std::chrono::milliseconds farewell_to_collector{1000};

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  const auto bytes = random_bytes(sizeof seed);
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed;
}

}  // namespace

Result<std::unique_ptr<CallObservation>> CallObservation::create(const Config& config, bool serves_http, Log& log) {
  std::unique_ptr<CallObservation> observation(new CallObservation());
  std::vector<CallObserver*> observers;
  if (serves_http && config.admin.listen) observers.push_back(&observation->requests_);
  if (serves_http && config.dashboard.listen)
    observers.push_back(&observation->recent_.emplace(config.dashboard.calls, config.dashboard.bodies));
  if (const auto& traces = config.traces; !traces.endpoint.empty()) {
    auto collector = read_http_url(traces.endpoint);
    if (collector.has_error()) return collector.error();
    SpanExporter::Options options{.collector = *std::move(collector),
                                  .service_name = config.host.identity.name,
                                  .service_version = config.host.identity.version};
    if (!traces.headers.empty()) {
      auto fields = read_header_file(traces.headers);
      if (fields.has_error()) return fields.error();
      options.fields = *std::move(fields);
    }
    observation->exporter_.emplace(std::move(options), log);
    observers.push_back(&observation->tracer_.emplace(*observation->exporter_, traces.sample_ratio, random_seed()));
  }
  if (!observers.empty()) observation->observers_.emplace(std::move(observers));
  return observation;
}

void CallObservation::run(HttpCaller& caller) {
  if (exporter_) exporter_->run(caller);
}

void CallObservation::stop() {
  if (exporter_) exporter_->stop(farewell_to_collector);
}

}  // namespace mcph
