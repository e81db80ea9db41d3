// Several observers of calls as one. The first of them that traces a request says in which span. Made by who assembles
// the program; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "protocol/call_observer.hpp"

namespace mcph {

class CallObservers final : public CallObserver {
 public:
  // They outlive it.
  explicit CallObservers(std::vector<CallObserver*> all) : all_(std::move(all)) {}

  std::shared_ptr<const TraceSpan> begin_span(JsonValue meta, const Arrival& arrival) override {
    for (auto* each : all_) {
      if (auto span = each->begin_span(meta, arrival)) return span;
    }
    return nullptr;
  }
  std::shared_ptr<const TraceSpan> begin_part(const TraceSpan& span) override {
    for (auto* each : all_) {
      if (auto part = each->begin_part(span)) return part;
    }
    return nullptr;
  }
  std::size_t kept_params() const override {
    std::size_t most = 0;
    for (const auto* each : all_)
      most = std::max(most, each->kept_params());
    return most;
  }
  void ended(const CallEnd& end) override {
    for (auto* each : all_)
      each->ended(end);
  }
  void plugin_ended(const PluginCallEnd& end) override {
    for (auto* each : all_)
      each->plugin_ended(end);
  }
  void session_ended(const SessionEnd& end) override {
    for (auto* each : all_)
      each->session_ended(end);
  }

 private:
  const std::vector<CallObserver*> all_;
};

}  // namespace mcph
