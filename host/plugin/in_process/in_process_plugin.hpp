// A plugin version that runs in this process: the C contract of mcp/plugin.h called directly. It gives the plugin its
// mcp_host table, bounds how many calls run at once, and takes whatever the plugin throws. Any thread, except where
// Plugin says [control]. Half of its functions are those of the tables that the plugin calls: mcp_host, and the
// optional interfaces (host_interfaces.cpp).
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <mcp/bundle.h>
#include <mcp/caller.h>
#include <mcp/capabilities.h>
#include <mcp/metrics.h>
#include <mcp/plugin.h>
#include <mcp/server_info.h>
#include <mcp/store.h>
#include <mcp/subscriptions.h>

#include "base/mutex.hpp"
#include "plugin/call_table.hpp"
#include "plugin/in_process/subscription_listener.hpp"
#include "plugin/library/plugin_library.hpp"
#include "plugin/limit_reports.hpp"
#include "plugin/plugin.hpp"
#include "plugin/plugin_setup.hpp"
#include "runtime/executor.hpp"
#include "telemetry/log.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class InProcessPlugin final : public Plugin, private CallTable::Owner {
 public:
  // [control] Makes the instance. The executor, the log and the timers outlive it. Without timers, in a worker, the
  // host bounds how long calls take and how much is logged.
  static Result<std::unique_ptr<InProcessPlugin>> create(PluginLibrary library, PluginSetup setup, Executor& executor,
                                                         Log& log, Timers* timers = nullptr);

  // Stops the instance if nobody has.
  ~InProcessPlugin() override;
  InProcessPlugin(const InProcessPlugin&) = delete;
  InProcessPlugin& operator=(const InProcessPlugin&) = delete;

  const PluginIdentity& identity() const override { return identity_; }
  Result<std::string> describe() override;
  Result<> start() override;
  void invoke(std::shared_ptr<Call> call) override;
  void cancel_all(CancelReason reason) override { calls_.cancel_all(reason); }
  std::size_t fail_all(std::string_view why) override { return calls_.fail_all(why); }
  std::size_t calls_in_flight() const override { return calls_.size(); }
  void subscriptions_changed(const SubscriptionChanges& changes) override;
  std::shared_ptr<const PluginMetrics> metrics() const override { return metrics_; }
  ErrorTexts error_texts() const override { return setup_.errors; }
  PluginStatus status() const override;
  void call_failed(std::string why) override { calls_.failed(std::move(why)); }
  void answered_wrongly(std::string why) override { calls_.answered_wrongly(std::move(why)); }
  void went_wrong(std::string what) override { calls_.went_wrong(std::move(what)); }
  bool stop(std::chrono::milliseconds patience) override;
  // [control] The same on this thread, for as long as it takes.
  void stop_here();

  // What invoke does, for who has a thread of his own for the call. Nothing: it waits for its turn, or was refused.
  std::optional<CallTable::Admitted> admit(const std::shared_ptr<Call>& call);
  // It, and then those that wait.
  void run(CallTable::Admitted admitted);

 private:
  InProcessPlugin(PluginLibrary library, PluginSetup setup, Executor& executor, Log& log, Timers* timers);

  Log& limit(Log& log);
  void run_one(std::uint64_t id, Call& call);
  void cancel_given(std::uint64_t id, const std::shared_ptr<Call>& call, CancelReason reason) override;
  void end_overdue(std::uint64_t id, const Call& call) override;
  bool is_debugged() override;
  void tell_that_calls_wait();

  // It completed a call that is not in flight.
  void answered_nothing(mcp_call_id id);
  void report(const Result<>& misbehaviour) const;
  void write_log(std::int32_t level, std::string_view message);
  std::string make_data_directory() const;
  static mcp_host host_table(InProcessPlugin* self);
  // Runs what a function of one of the host's tables does (called_by_plugin.hpp).
  template <class Function>
  void serve(std::string_view function, Function&& function_of_host) noexcept;
  // Null: there is none of that name.
  const void* interface_named(std::string_view name) const;
  static const mcp_server_info server_info_table;
  static const mcp_caller caller_table;
  static const mcp_bundle bundle_table;
  static const mcp_subscriptions subscriptions_table;
  struct StoreArguments {
    mcp_string key;
    mcp_string value = {};
    std::uint64_t if_revision = any_revision;
  };
  // Its status; what there is to say is written to the sinks. Those, and the revision, may be null.
  std::int32_t use_store(StoreOperation::Kind kind, const StoreArguments& arguments, const mcp_sink* text,
                         std::uint64_t* revision, const mcp_sink* error) noexcept;
  static const mcp_store store_table;
  std::uint32_t declare_metric(MetricDefinition definition, const mcp_sink* error) noexcept;
  struct MetricLabelTable {
    const mcp_label* labels;
    std::uint32_t count;
  };
  void record_metric(std::uint32_t metric, PluginMetrics::Operation operation, const MetricLabelTable& labels,
                     double value) noexcept;
  static const mcp_metrics metrics_table;
  static const mcp_capabilities capabilities_table;

  PluginLibrary library_;
  const mcp_plugin& table_;
  const PluginIdentity identity_;
  const PluginSetup setup_;
  const std::size_t concurrent_calls_;
  Executor& executor_;
  std::optional<RateLimitedLog> limited_log_;
  Log& log_;
  LimitReports limit_reports_;
  const std::shared_ptr<SubscribedResources> subscriptions_;
  const std::shared_ptr<SubscriptionListener> subscription_listener_;
  const std::shared_ptr<PluginMetrics> metrics_;
  std::atomic_flag told_of_metrics_ = {};  // that some of what it recorded is left out
  const mcp_host host_;
  void* instance_ = nullptr;

  Mutex mutex_;
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  CallTable calls_;  // last, because its timers use the rest
};

}  // namespace mcph
