// FakeHost: the host that a Harness plays: the C table, with a function for each of its, and what the plugin told it.
// Every function may be called from any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <mcp/caller.h>
#include <mcp/capabilities.h>
#include <mcp/plugin.h>
#include <mcp/plugin/testing.hpp>
#include <mcp/subscriptions.h>

#include "../mutex.hpp"
#include "memory_metrics.hpp"
#include "memory_store.hpp"
#include "rules.hpp"

namespace mcp::testing::detail {

using mcp::detail::Condition;
using mcp::detail::Mutex;
using mcp::detail::MutexLock;

/// By what the answer to a call is judged; without rules, by nothing.
struct Judged {
  std::shared_ptr<const Rules> rules;
  std::string method;
  std::string component;
};

struct FakeCall {
  Judged judged;
  std::optional<Outcome> outcome;
  std::int32_t cancelled = MCP_CANCEL_NONE;
};

class FakeHost {
 public:
  explicit FakeHost(const Json& config);
  /// Removes the data directory.
  ~FakeHost();
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  const mcp_host* table() const { return &table_; }
  /// The instance that cancellations go to.
  void serve(const mcp_plugin& plugin, void* instance) {
    cancel_ = plugin.cancel;
    instance_ = instance;
  }

  mcp_call_id begin_call(Judged judged = {});
  /// A call that the host answers itself.
  mcp_call_id answered_call(Outcome outcome);
  void cancel(mcp_call_id call, std::int32_t reason);
  bool is_done(mcp_call_id call) const;
  Outcome wait(mcp_call_id call, std::chrono::milliseconds limit);
  /// The input requests of a tool so far, by their names; of several with one name the last.
  Json asked_by(std::string_view tool) const;

  /// Those for what the plugin describes now: made anew when it has said that its components changed.
  std::shared_ptr<const Rules> rules(const std::function<std::shared_ptr<const Rules>()>& make);

  /// Held while a plugin is invoked that wants one call at a time.
  Mutex& invoking() { return invoking_; }

  void set_request_context(const Json& context);
  void set_caller(const Caller& caller);
  MemoryStore& store() { return store_; }
  const MemoryMetrics& metrics() const { return metrics_; }
  void set_subscribed(const std::string& uri, bool is_subscribed);
  void provide_interface(const std::string& name, const void* table);
  std::vector<LogEntry> logs() const;
  std::vector<Progress> progress() const;
  int components_changed() const;
  std::vector<std::string> updated_resources() const;

 private:
  static const mcp_caller caller_table;
  static const mcp_subscriptions subscriptions_table;
  static const mcp_store store_table;
  void record(std::uint32_t metric, std::int32_t kind, bool adds, const mcp_label* labels, std::uint32_t count,
              double value);
  static const mcp_metrics metrics_table;
  static const mcp_capabilities capabilities_table;
  static FakeHost& of(const mcp_host* table) { return *static_cast<FakeHost*>(table->context); }
  void listen(const mcp_subscription_listener* listener);
  void complete(mcp_call_id call, std::int32_t kind, mcp_string json);
  std::string data_directory();

  mcp_host table_{};
  void (*cancel_)(void*, mcp_call_id, std::int32_t) = nullptr;
  void* instance_ = nullptr;
  const std::string config_;

  MemoryStore store_;
  MemoryMetrics metrics_;
  Mutex invoking_;
  Mutex making_rules_;
  mutable Mutex mutex_;
  Condition completed_;
  std::map<mcp_call_id, FakeCall> calls_ GUARDED_BY(mutex_);
  mcp_call_id last_call_ GUARDED_BY(mutex_) = 0;
  std::string request_context_ GUARDED_BY(mutex_) = "{}";
  std::string caller_ GUARDED_BY(mutex_) = "{}";
  std::set<std::string> subscribed_ GUARDED_BY(mutex_);
  mcp_subscription_listener listener_ GUARDED_BY(mutex_){};
  std::map<std::string, const void*, std::less<>> interfaces_ GUARDED_BY(mutex_);
  std::vector<LogEntry> logs_ GUARDED_BY(mutex_);
  std::vector<Progress> progress_ GUARDED_BY(mutex_);
  int components_changed_ GUARDED_BY(mutex_) = 0;
  std::shared_ptr<const Rules> rules_ GUARDED_BY(mutex_);
  int changes_in_rules_ GUARDED_BY(mutex_) = 0;
  std::vector<std::string> updated_resources_ GUARDED_BY(mutex_);
  std::filesystem::path data_directory_ GUARDED_BY(mutex_);
};

}  // namespace mcp::testing::detail
