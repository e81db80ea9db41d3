// An upstream MCP server as one plugin version: what it lists is described, a call becomes its request, and what it
// says meanwhile is the call's. Nothing above Plugin knows that it is somewhere else. Its supervisor keeps it
// connected.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/limit_reports.hpp"
#include "plugin/plugin.hpp"
#include "runtime/executor.hpp"
#include "runtime/timers.hpp"
#include "sources/upstream/upstream_calls.hpp"
#include "sources/upstream/upstream_supervisor.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class UpstreamPlugin final : public Plugin {
 public:
  using ConnectionEvents = UpstreamSupervisor::ConnectionEvents;
  using Connect = UpstreamSupervisor::Connect;
  using Setup = UpstreamSupervisor::Setup;

  // The executor, the timers and the log outlive it.
  UpstreamPlugin(Setup setup, Executor& executor, Timers& timers, Log& log);
  ~UpstreamPlugin() override;

  const PluginIdentity& identity() const override { return identity_; }
  // The first time it connects, and waits for that.
  Result<std::string> describe() override { return supervisor_.describe(); }
  // [any] Who waits for the first connection waits no longer; what is being connected ends with stop. Of one that has
  // been described it does nothing.
  void give_up_first_connection() { supervisor_.give_up_first_connection(); }
  Result<> start() override { return {}; }
  void invoke(std::shared_ptr<Call> call) override;
  void cancel_all(CancelReason reason) override { calls_.table().cancel_all(reason); }
  std::size_t fail_all(std::string_view why) override { return calls_.table().fail_all(why); }
  std::size_t calls_in_flight() const override { return calls_.table().size(); }
  void subscriptions_changed(const SubscriptionChanges& changes) override {
    supervisor_.subscriptions_changed(changes);
  }
  bool tells_updates() const override { return supervisor_.tells_updates(); }
  ErrorTexts error_texts() const override { return setup_.settings.errors; }
  PluginStatus status() const override { return supervisor_.status(); }
  void call_failed(std::string why) override;
  void answered_wrongly(std::string why) override { calls_.table().answered_wrongly(std::move(why)); }
  void went_wrong(std::string what) override { calls_.table().went_wrong(std::move(what)); }
  void not_answered(const std::string& input_state, int code, std::string_view why) override {
    calls_.not_answered(input_state, code, why);
  }
  void when_withdrawn(const std::string& input_state, const std::function<void()>& told) override {
    calls_.when_withdrawn(input_state, told);
  }
  bool stop(std::chrono::milliseconds patience) override {
    supervisor_.stop(patience);
    return true;
  }

  // What of the last listing could not be served, for people.
  std::vector<std::string> remarks() const { return supervisor_.remarks(); }

 private:
  const Setup setup_;
  PluginIdentity identity_;
  RateLimitedLog log_;
  LimitReports limit_reports_;
  UpstreamSupervisor supervisor_;
  UpstreamCalls calls_;  // its timers use the rest
};

}  // namespace mcph
