// One call in flight: a request given to a plugin. The protocol derives from it to hear of progress and of the end; the
// plugin keeps it until it is completed. Shared by both sides; every function may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/plugin_method.hpp"

namespace mcph {

// The values are those of MCP_CANCEL_* in mcp/plugin.h.
enum class CancelReason : std::int32_t { none = 0, client = 1, deadline = 2, shutdown = 3, reload = 4 };

// The values are those of MCP_OUTCOME_* in mcp/plugin.h.
enum class Outcome : std::int32_t { result = 0, error = 1, input_required = 2 };

class Call {
 public:
  // `params` is a JSON object. `component` is what messages call it: the tool's or prompt's name, or the URI.
  Call(PluginMethod method, std::string params, std::string component = {})
      : method_(method), params_(std::move(params)), component_(std::move(component)) {}
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  PluginMethod method() const { return method_; }
  const std::string& params() const { return params_; }
  const std::string& component() const { return component_; }

  // What the plugin says. `complete` is called exactly once; the text is the caller's until it returns.
  virtual void progress(double progress, double total, std::string_view message) = 0;
  // Whether anybody hears of that. Of a call that says no when its plugin is given it, a worker sends none.
  virtual bool wants_progress() const { return true; }
  virtual void complete(Outcome outcome, std::string_view json) = 0;
  // `level` is one of MCP_LOG_* in mcp/plugin.h.
  virtual void log(std::int32_t level, std::string_view message) = 0;
  // The same of a message that is any JSON.
  virtual void log_json(std::int32_t level, std::string_view data) { log(level, data); }

  // What the host says in the plugin's stead, once and instead of `complete`: a JSON-RPC error object.
  virtual void refuse(std::string error) {  // NOLINT(performance-unnecessary-value-param): others keep it
    complete(Outcome::error, error);
  }

  // What is known of it: the JSON object that mcp_host.call_context promises.
  virtual std::string context() const = 0;
  // Who calls: the JSON object that mcp_caller.describe promises.
  virtual std::string caller() const { return "{}"; }
  // What distinguishes who calls from every other one, whatever proves who they are, as Principal::key has it; empty:
  // nobody has proven anything.
  virtual std::vector<std::string> principal_key() const { return {}; }

  // When it is cancelled for taking too long, as Unix time; nothing: it may take any time. Its plugin says so before
  // it is given the call. Where the system's clock is set meanwhile it is still cancelled after as long as it may take,
  // and this is wrong by as much.
  std::optional<std::chrono::milliseconds> deadline() const;
  void set_deadline(std::chrono::system_clock::time_point time) {
    deadline_.store(time.time_since_epoch(), std::memory_order_release);
  }

  // How long it may take by what its plugin says of the component; nothing: as long as the plugin's calls may. Set
  // before the plugin is given it.
  std::optional<std::chrono::milliseconds> time_limit() const { return time_limit_; }
  void limit_time(std::optional<std::chrono::milliseconds> time) { time_limit_ = time; }

  // Asks for an early end. The first reason stays. `because` says more than the reason, for whoever made the call: it
  // continues "cancelled, because ".
  void cancel(CancelReason reason, std::string because = {});
  CancelReason cancelled() const { return reason_.load(std::memory_order_acquire); }
  // Empty if nobody said, or it is not cancelled.
  std::string cancelled_because() const;

  // The plugin's wish to hear of a cancellation, heard at once if it has already happened. An empty function ends it.
  void on_cancel(std::function<void(CancelReason)> listener);

  // True once, for whoever decides what becomes of a call that the plugin has not heard of: the plugin is given it, or
  // it is refused.
  bool claim() { return !claimed_.exchange(true, std::memory_order_acq_rel); }
  bool claimed() const { return claimed_.load(std::memory_order_acquire); }

 private:
  const PluginMethod method_;
  const std::string params_;
  const std::string component_;
  std::optional<std::chrono::milliseconds> time_limit_;
  std::atomic<CancelReason> reason_{CancelReason::none};
  std::atomic<bool> claimed_{false};
  std::atomic<std::chrono::system_clock::duration> deadline_{};  // since the epoch; 0: there is none
  mutable Mutex mutex_;
  std::string because_ GUARDED_BY(mutex_);
  std::function<void(CancelReason)> listener_ GUARDED_BY(mutex_);
};

}  // namespace mcph
