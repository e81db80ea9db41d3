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
    if (wake_up.before_ == nullptr && first_ != &wake_up) return;  // it has been taken off
    (wake_up.before_ != nullptr ? wake_up.before_->after_ : first_) = wake_up.after_;
    if (wake_up.after_ != nullptr) wake_up.after_->before_ = wake_up.before_;
  }

 private:
  // Each by itself, because with it others of the list may go, and the place where they waited.
  void shutdown() override {
    while (auto* const frame = take())
      frame->drop();
  }

  CoroutineFrame* take() {
    const MutexLock lock(mutex_);
    while (first_ != nullptr) {
      for (auto* list : {&first_->woken_, &first_->waiting_}) {
        if (auto* const frame = WakeUp::take(*list)) return frame;
      }
      first_ = std::exchange(first_->after_, nullptr);
      if (first_ != nullptr) first_->before_ = nullptr;
    }
    return nullptr;
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

bool WakeUp::wake_all() {
  if (woken_ == nullptr) woken_ = std::exchange(waiting_, nullptr);
  return woken_ != nullptr && woken_->next_ != nullptr;
}

void WakeUp::resume_one() {
  if (auto* const frame = take(woken_)) frame->resume();
}

CoroutineFrame* WakeUp::take(Waiting*& list) {
  if (list == nullptr) return nullptr;
  return std::exchange(std::exchange(list, list->next_)->frame_, nullptr);
}

bool WakeUp::forget(Waiting*& list, const Waiting& gone) {
  for (auto** each = &list; *each != nullptr; each = &(*each)->next_) {
    if (*each != &gone) continue;
    *each = gone.next_;
    return true;
  }
  return false;
}

void WakeUp::forget(const Waiting& gone) {
  if (!forget(waiting_, gone)) forget(woken_, gone);
}

}  // namespace mcph
