#include "plugin/component_changes.hpp"

#include <utility>

namespace mcph {

void ComponentChanges::changed() {
  if (!told_) return;
  {
    const MutexLock lock(mutex_);
    ++changes_;
    if (std::exchange(is_told_, true)) return;
  }
  told_(shared_from_this());
}

bool ComponentChanges::has_to_wait(std::size_t bytes) const {
  const MutexLock lock(mutex_);
  return served_ < changes_ && waiting_bytes_ + bytes <= max_waiting_bytes;
}

void ComponentChanges::keep(std::size_t bytes, std::function<void()> answer) {
  const MutexLock lock(mutex_);
  waiting_.push_back({changes_, Clock::now() + patience, bytes, std::move(answer)});
  waiting_bytes_ += bytes;
  release_served();  // they may have been served meanwhile
  set_timer();
}

void ComponentChanges::described() {
  const MutexLock lock(mutex_);
  described_ = changes_;
  is_told_ = false;
}

void ComponentChanges::served() {
  const MutexLock lock(mutex_);
  served_ = described_;
  release_served();
}

void ComponentChanges::release_served() {
  const auto served = served_;
  release([served](const Waiting& first) { return first.change <= served; });
}

void ComponentChanges::set_timer() {
  if (waiting_.empty() || std::exchange(timer_is_set_, true)) return;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(waiting_.front().until - Clock::now());
  timers_.after(left, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->look();
  });
}

void ComponentChanges::look() {
  const MutexLock lock(mutex_);
  timer_is_set_ = false;
  release([now = Clock::now()](const Waiting& first) { return first.until <= now; });
  set_timer();
}

template <class IsOver>
void ComponentChanges::release(IsOver&& is_over) {
  while (!waiting_.empty() && is_over(waiting_.front())) {
    executor_.run_urgently(std::move(waiting_.front().answer));
    waiting_bytes_ -= waiting_.front().bytes;
    waiting_.pop_front();
  }
}

}  // namespace mcph
