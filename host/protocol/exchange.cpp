#include "protocol/exchange.hpp"

namespace mcph {
namespace {

// HTTP needs an answer where the protocol wants none.
constexpr unsigned http_accepted = 202;

}  // namespace

void Exchange::notify(std::string message) {
  const std::lock_guard lock(mutex_);
  if (!ended_) send(std::move(message));
}

void Exchange::reply(Reply reply) {
  std::function<void(CancelReason)> released;
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  ended_ = true;
  released = std::move(listener_);
  finish(std::move(reply));
}

void Exchange::abandon() {
  std::function<void(CancelReason)> listener;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    cancelled_ = CancelReason::client;
    listener = std::move(listener_);
    finish({.body = {}, .status = http_accepted});
  }
  if (listener) listener(CancelReason::client);
}

void Exchange::cancel(CancelReason reason) {
  std::function<void(CancelReason)> listener;
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_ != CancelReason::none) return;
    cancelled_ = reason;
    listener = listener_;
  }
  if (listener) listener(reason);
}

void Exchange::on_cancel(const std::function<void(CancelReason)>& listener) {
  CancelReason reason = CancelReason::none;
  {
    const std::lock_guard lock(mutex_);
    reason = cancelled_;
    if (reason == CancelReason::none && !ended_) listener_ = listener;
  }
  if (reason != CancelReason::none) listener(reason);
}

bool Exchange::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

}  // namespace mcph
