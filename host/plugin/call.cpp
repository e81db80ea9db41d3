#include "plugin/call.hpp"

#include <utility>

namespace mcph {

void Call::cancel(CancelReason reason, std::string because) {
  std::function<void(CancelReason)> listener;
  {
    const MutexLock lock(mutex_);
    if (cancelled() != CancelReason::none) return;
    because_ = std::move(because);
    reason_.store(reason, std::memory_order_release);
    listener = listener_;
  }
  if (listener) listener(reason);
}

std::string Call::cancelled_because() const {
  const MutexLock lock(mutex_);
  return because_;
}

std::optional<std::chrono::milliseconds> Call::deadline() const {
  const auto time = deadline_.load(std::memory_order_acquire);
  if (time.count() == 0) return std::nullopt;
  return std::chrono::floor<std::chrono::milliseconds>(time);
}

void Call::on_cancel(std::function<void(CancelReason)> listener) {
  CancelReason reason = CancelReason::none;
  {
    const MutexLock lock(mutex_);
    reason = cancelled();
    if (reason == CancelReason::none) {
      listener_ = std::move(listener);
      return;
    }
    listener_ = nullptr;
  }
  if (listener) listener(reason);
}

}  // namespace mcph
