#include "call_state.hpp"

#include <exception>
#include <string>
#include <utility>

#include "host_text.hpp"

namespace mcp::detail {

void PendingCalls::add(mcp_call_id call, std::shared_ptr<CallState> state) {
  const MutexLock lock(mutex_);
  calls_.insert_or_assign(call, std::move(state));
}

void PendingCalls::remove(mcp_call_id call) {
  const MutexLock lock(mutex_);
  calls_.erase(call);
}

std::shared_ptr<CallState> PendingCalls::find(mcp_call_id call) {
  const MutexLock lock(mutex_);
  const auto found = calls_.find(call);
  return found == calls_.end() ? nullptr : found->second;
}

void PendingCalls::abandon_all() {
  std::unordered_map<mcp_call_id, std::shared_ptr<CallState>> left;
  {
    const MutexLock lock(mutex_);
    left.swap(calls_);
  }
  for (const auto& [call, state] : left)
    state->abandon();
  const MutexLock lock(mutex_);
  has_host_ = false;
}

void PendingCalls::log(const mcp_host& host, mcp_call_id call, std::int32_t level, std::string_view message) {
  const MutexLock lock(mutex_);
  if (has_host_) host.log(&host, call, level, borrowed(message));
}

void CallState::finish(const Answer& answer) {
  if (!try_finish(answer))
    pending_->log(host_, call_, MCP_LOG_WARNING, "a call was answered twice; the second answer was ignored");
}

bool CallState::try_finish(const Answer& answer) {
  std::vector<std::function<void()>> unused;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(finished_, true)) return false;
    unused.swap(on_cancel_);
  }
  pending_->remove(call_);
  unused.clear();
  warn_of_replaced_bytes(host_, *replaced_bytes_, answer);
  // Last: once its last call is answered, the host may stop the instance.
  host_.complete(&host_, call_, answer.outcome, borrowed(answer.json));
  return true;
}

void CallState::drop(bool has_asked) {
  {
    const MutexLock lock(mutex_);
    dropped_ = true;
    has_asked_ = has_asked;
    if (handler_running_) return;
  }
  abandon();
}

void CallState::handler_returned() {
  {
    const MutexLock lock(mutex_);
    handler_running_ = false;
    if (!dropped_) return;
  }
  abandon();
}

void CallState::abandon() {
  const bool has_asked = [this] {
    const MutexLock lock(mutex_);
    return has_asked_;
  }();
  const auto* const why =
      has_asked ? "The tool asked the client something where nobody hears the answer: ask in the handler, "
                  "and catch nothing of what the question throws there."
                : "The tool gave up this call without an answer.";
  try_finish(ToolResult().text(why).is_error().answer());
}

void CallState::cancel() {
  std::vector<std::function<void()>> functions;
  {
    const MutexLock lock(mutex_);
    if (finished_ || std::exchange(cancelled_, true)) return;
    functions.swap(on_cancel_);
  }
  run(functions);
}

void CallState::on_cancel(std::function<void()> function) {
  {
    const MutexLock lock(mutex_);
    if (finished_) return;
    if (!cancelled_) {
      on_cancel_.push_back(std::move(function));
      return;
    }
  }
  run({std::move(function)});
}

bool CallState::is_finished() {
  const MutexLock lock(mutex_);
  return finished_;
}

void CallState::run(const std::vector<std::function<void()>>& functions) {
  for (const auto& function : functions) {
    // The one before may have answered the call.
    if (is_finished()) return;
    try {
      function();
    } catch (const std::exception& error) {
      pending_->log(host_, call_, MCP_LOG_ERROR, std::string("a function of on_cancel threw: ") + error.what());
    } catch (...) {
      pending_->log(host_, call_, MCP_LOG_ERROR, "a function of on_cancel threw an unknown exception");
    }
  }
}

}  // namespace mcp::detail
