#include <stdexcept>

#include <mcp/plugin/call.hpp>

#include "answers.hpp"
#include "call_state.hpp"
#include "cancellation_text.hpp"
#include "unanswered.hpp"

namespace mcp {

Call::Call(const mcp_host& host, mcp_call_id call, const Json& params, std::shared_ptr<detail::CallState> state)
    : Context(host, call, params), state_(std::move(state)) {}

Call::Call(Call&& other) noexcept = default;

Call& Call::operator=(Call&& other) noexcept {
  if (this == &other) return *this;
  if (state_) state_->drop(has_asked());
  state_ = std::move(other.state_);
  Context::operator=(std::move(other));
  return *this;
}

Call::~Call() {
  if (state_) state_->drop(has_asked());
}

void Call::fail(std::string_view message) {
  finish(ToolResult().text(message).is_error().answer());
}

void Call::fail(const ProtocolError& error) {
  finish(detail::error_answer(error));
}

bool Call::fail_if_cancelled() {
  const CancelReason reason = cancel_reason();
  if (reason != CancelReason::None) fail(detail::cancellation_text(reason));
  return reason != CancelReason::None;
}

void Call::on_cancel(std::function<void()> function) {
  require_owner();
  state_->on_cancel(std::move(function));
}

void Call::finish(const detail::Answer& answer) {
  require_owner();
  state_->finish(has_asked() ? ToolResult().text(detail::input_request_caught).is_error().answer() : answer);
}

void Call::require_owner() const {
  if (!state_) throw std::logic_error("this mcp::Call has been moved to another: use that one");
}

}  // namespace mcp
