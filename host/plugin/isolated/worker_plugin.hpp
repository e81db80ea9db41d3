// A plugin version that runs in a process of its own: whatever happens to it there costs only its own calls. It passes
// on calls and what the plugin says of them; a supervisor keeps the process. Any thread, except where Plugin says
// [control]. One function, `take`, a kind of message that a worker sends.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "plugin/call_table.hpp"
#include "plugin/isolated/store_queue.hpp"
#include "plugin/isolated/supervisor.hpp"
#include "plugin/isolated/workers.hpp"
#include "plugin/library/private_copy.hpp"
#include "plugin/limit_reports.hpp"
#include "plugin/plugin_setup.hpp"
#include "telemetry/log.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class WorkerPlugin final : public Plugin, private CallTable::Owner, private Supervisor::Owner {
 public:
  // [control] Starts the process and makes the instance there. The workers and the log outlive it.
  static Result<std::unique_ptr<WorkerPlugin>> create(std::shared_ptr<const PrivateCopy> library, PluginSetup setup,
                                                      Workers& workers, Log& log);
  ~WorkerPlugin() override { supervisor_.end(); }
  WorkerPlugin(const WorkerPlugin&) = delete;
  WorkerPlugin& operator=(const WorkerPlugin&) = delete;

  const PluginIdentity& identity() const override { return identity_; }
  Result<std::string> describe() override { return supervisor_.describe(); }
  Result<> start() override { return supervisor_.start(); }
  void invoke(std::shared_ptr<Call> call) override;
  void cancel_all(CancelReason reason) override { calls_.cancel_all(reason); }
  std::size_t fail_all(std::string_view why) override { return calls_.fail_all(why); }
  std::size_t calls_in_flight() const override { return calls_.size(); }
  void subscriptions_changed(const SubscriptionChanges& changes) override;
  std::shared_ptr<const PluginMetrics> metrics() const override { return metrics_; }
  ErrorTexts error_texts() const override { return setup_.errors; }
  PluginStatus status() const override;
  void call_failed(std::string why) override;
  void answered_wrongly(std::string why) override { calls_.answered_wrongly(std::move(why)); }
  void went_wrong(std::string what) override { calls_.went_wrong(std::move(what)); }
  bool stop(std::chrono::milliseconds patience) override;

 private:
  WorkerPlugin(std::shared_ptr<const PrivateCopy> library, PluginSetup setup, Workers& workers, Log& log);

  void cancel_given(std::uint64_t id, const std::shared_ptr<Call>& call, CancelReason reason) override;
  void end_overdue(std::uint64_t id, const Call& call) override;
  bool is_debugged() override { return supervisor_.is_debugged(); }

  void identified(WorkerIdentity identity) override;
  void message_came(const to_host::Message& message, WorkerChannel& channel) override;
  void give(WorkerChannel& channel, const CallTable::Admitted& admitted) override;
  void process_ended() override { metrics_->forget_gauges(); }

  void take(const to_host::Completed& completed, WorkerChannel& channel);
  void take(const to_host::Progressed& progressed, WorkerChannel& channel);
  void take(const to_host::Said& said, WorkerChannel& channel);
  void take(const to_host::ResourceUpdated& updated, WorkerChannel& channel);
  void take(const to_host::ContextQuery& query, WorkerChannel& channel);
  void take(const to_host::CallerQuery& query, WorkerChannel& channel);
  void take(const to_host::ServerInfoQuery& query, WorkerChannel& channel);
  void take(const to_host::SubscriptionsQuery& query, WorkerChannel& channel);
  void take(const to_host::SubscriptionsTaken& taken, WorkerChannel& channel);
  void take(const to_host::StoreQuery& query, WorkerChannel& channel);
  void take(const to_host::MetricsRecorded& recorded, WorkerChannel& channel);
  void send_subscriptions(WorkerChannel& channel) REQUIRES(subscriptions_mutex_);

  const std::shared_ptr<const PrivateCopy> library_;
  const PluginSetup setup_;
  PluginIdentity identity_;                 // written once, before create returns
  std::vector<std::string> sandbox_lacks_;  // likewise
  Executor& executor_;
  RateLimitedLog log_;
  LimitReports limit_reports_;
  std::atomic<bool> wants_context_{false};   // the plugin has asked who is calling, and will again
  const std::shared_ptr<StoreQueue> store_;  // null: there is none
  const std::shared_ptr<PluginMetrics> metrics_ = std::make_shared<PluginMetrics>();
  SubscribedResources subscriptions_;
  Mutex subscriptions_mutex_;
  // The process that is told of them, and the ticket that it has; none until it asks.
  std::weak_ptr<WorkerChannel> follower_ GUARDED_BY(subscriptions_mutex_);
  SubscribedResources::Ticket follower_ticket_ GUARDED_BY(subscriptions_mutex_) = 0;
  Supervisor supervisor_;
  CallTable calls_;  // last, because its timers use the rest
};

}  // namespace mcph
