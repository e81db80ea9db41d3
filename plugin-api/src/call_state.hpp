// CallState: what is known about one asynchronous call, shared by its mcp::Call and by PendingCalls, through which the
// host's cancellation finds it. Every function may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <mcp/plugin.h>
#include <mcp/plugin/tool_result.hpp>

#include "answers.hpp"
#include "mutex.hpp"

namespace mcp::detail {

class CallState;

/// The asynchronous calls of one instance that have not been answered.
class PendingCalls {
 public:
  void add(mcp_call_id call, std::shared_ptr<CallState> state);
  void remove(mcp_call_id call);
  /// Null if there is no such call.
  std::shared_ptr<CallState> find(mcp_call_id call);
  /// Answers every call that is left, with an error. What its owner does afterwards changes nothing and reaches no
  /// host.
  void abandon_all();
  /// What the host is told of a call, which may have been answered. Nothing after abandon_all, which waits for this.
  void log(const mcp_host& host, mcp_call_id call, std::int32_t level, std::string_view message);

 private:
  Mutex mutex_;
  bool has_host_ GUARDED_BY(mutex_) = true;
  std::unordered_map<mcp_call_id, std::shared_ptr<CallState>> calls_ GUARDED_BY(mutex_);
};

class CallState {
 public:
  CallState(const mcp_host& host, mcp_call_id call, std::shared_ptr<PendingCalls> pending,
            std::shared_ptr<ReplacedBytes> replaced_bytes)
      : host_(host), call_(call), pending_(std::move(pending)), replaced_bytes_(std::move(replaced_bytes)) {}

  /// The first answer goes to the host; a later one is logged and ignored.
  void finish(const Answer& answer);

  /// The Call is gone. While its handler is still running this answers nothing, because an exception that ends the
  /// handler also drops the Call, and says more. `has_asked`: it has tried to ask the client something.
  void drop(bool has_asked);
  void handler_returned();
  /// Answers with an error that says that there is no answer, unless there is one.
  void abandon();

  void cancel();
  void on_cancel(std::function<void()> function);

 private:
  /// False if there is an answer already.
  bool try_finish(const Answer& answer);
  bool is_finished();
  void run(const std::vector<std::function<void()>>& functions);

  const mcp_host& host_;
  const mcp_call_id call_;
  const std::shared_ptr<PendingCalls> pending_;
  const std::shared_ptr<ReplacedBytes> replaced_bytes_;

  Mutex mutex_;
  bool handler_running_ GUARDED_BY(mutex_) = true;
  bool dropped_ GUARDED_BY(mutex_) = false;
  bool has_asked_ GUARDED_BY(mutex_) = false;
  bool finished_ GUARDED_BY(mutex_) = false;
  bool cancelled_ GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> on_cancel_ GUARDED_BY(mutex_);
};

}  // namespace mcp::detail
