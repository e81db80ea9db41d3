// Call: one call of an asynchronous tool, which outlives its handler. It has one owner: move it to wherever the answer
// will be known, then complete it or let it fail, from any thread. A Call that is dropped without either fails by
// itself.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include <mcp/plugin/context.hpp>
#include <mcp/plugin/detail/result_conversion.hpp>
#include <mcp/plugin/error.hpp>

namespace mcp {

namespace detail {
class CallState;
}

class Call : public Context {
 public:
  Call(const mcp_host& host, mcp_call_id call, const Json& params, std::shared_ptr<detail::CallState> state);
  Call(Call&& other) noexcept;
  /// Drops the call that was here before.
  Call& operator=(Call&& other) noexcept;
  ~Call();

  /// Answers with anything that a tool may return. Only the first answer of a call counts.
  template <class R>
  void complete(R&& result) {
    finish(detail::tool_result(std::forward<R>(result)).answer());
  }
  /// An empty answer.
  void complete() { finish(ToolResult().answer()); }

  /// A tool error that the model can read.
  void fail(std::string_view message);
  void fail(const ProtocolError& error);
  /// If the call should end early, lets it fail with the reason. False: it goes on.
  bool fail_if_cancelled();

  /// Runs once when the call should end early: on the thread that finds out, or at once if that has happened already.
  /// The call must still be completed. Nothing begins to run once the call has been answered; what has begun, or is
  /// just about to, on another thread may still run then, so it must own what it uses, as by a std::shared_ptr.
  void on_cancel(std::function<void()> function);

 private:
  void finish(const detail::Answer& answer);
  void require_owner() const;

  std::shared_ptr<detail::CallState> state_;
};

}  // namespace mcp
