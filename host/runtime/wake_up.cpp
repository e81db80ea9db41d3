#include "runtime/wake_up.hpp"

#include <utility>

#include <boost/asio/execution_context.hpp>

#include "base/mutex.hpp"

namespace mcph {

// Of one context, at whose end what its coroutines wait for will not come.
class WaitingCoroutines final : public boost::asio::execution_context::service {
 public:
  static inline boost::asio::execution_context::id id;  // by which Asio finds it

  explicit WaitingCoroutines(boost::asio::execution_context& context) : service(context) {}

  void add(WakeUp& wake_up) {
    const MutexLock lock(mutex_);
    wake_up.after_ = std::exchange(first_, &wake_up);
    if (wake_up.after_ != nullptr) wake_up.after_->before_ = &wake_up;
  }

  void remove(WakeUp& wake_up) {
    const MutexLock lock(mutex_);
    if (wake_up.before_ == nullptr && first_ != &wake_up) return;  // it has been taken
    (wake_up.before_ != nullptr ? wake_up.before_->after_ : first_) = wake_up.after_;
    if (wake_up.after_ != nullptr) wake_up.after_->before_ = wake_up.before_;
  }

 private:
  void shutdown() override {
    while (auto* const wake_up = take()) {
      auto* waiting = std::exchange(wake_up->first_, nullptr);
      // The place where they wait goes with the last of them.
      while (waiting != nullptr)
        std::exchange(waiting, waiting->next_)->frame_->drop();
    }
  }

  WakeUp* take() {
    const MutexLock lock(mutex_);
    auto* const taken = first_;
    if (taken == nullptr) return nullptr;
    first_ = std::exchange(taken->after_, nullptr);
    if (first_ != nullptr) first_->before_ = nullptr;
    return taken;
  }

  Mutex mutex_;
  WakeUp* first_ GUARDED_BY(mutex_) = nullptr;
};

WakeUp::WakeUp(boost::asio::io_context& context) : all_(boost::asio::use_service<WaitingCoroutines>(context)) {
  all_.add(*this);
}

WakeUp::~WakeUp() {
  all_.remove(*this);
}

void WakeUp::wake_all() {
  auto* waiting = std::exchange(first_, nullptr);
  while (waiting != nullptr) {
    auto* const frame = std::exchange(waiting->frame_, nullptr);
    waiting = waiting->next_;
    frame->resume();
  }
}

void WakeUp::forget(const Waiting& gone) {
  for (auto** each = &first_; *each != nullptr; each = &(*each)->next_) {
    if (*each != &gone) continue;
    *each = gone.next_;
    return;
  }
}

}  // namespace mcph
