#include "plugin/call_deadlines.hpp"

#include <algorithm>

namespace mcph {
namespace {

// Between two looks while a call takes longer than it may.
constexpr std::chrono::milliseconds overdue_interval{50};

}  // namespace

CallDeadlines::~CallDeadlines() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (timer_) timers_.cancel(*timer_);
  }
  timers_.wait_for_running();
}

void CallDeadlines::watch() {
  // Again where a call came, and saw the flag, just before it was taken back.
  do {
    if (watching_.exchange(true)) return;
    if (const auto oldest = calls_.oldest()) return set_timer(oldest->since);
    watching_ = false;
  } while (calls_.size() > 0);
}

void CallDeadlines::set_timer(CallsInFlight::Clock::time_point oldest) {
  const auto now = CallsInFlight::Clock::now();
  auto due = oldest + times_.call;
  // Once one is cancelled, others may be about to be.
  if (due <= now) due = now + overdue_interval;
  const auto delay = std::chrono::ceil<std::chrono::milliseconds>(due - now);
  const std::lock_guard lock(mutex_);
  if (!ending_) timer_ = timers_.after(delay, [this] { look(); });
}

void CallDeadlines::look() {
  const auto now = CallsInFlight::Clock::now();
  for (const auto& [id, call, since] : calls_.begun_before(now - times_.call)) {
    late_(id, *call);
    call->cancel(CancelReason::deadline);
    if (now - since >= times_.call + times_.grace) overdue_(id, *call);
  }
  watching_ = false;
  watch();
}

}  // namespace mcph
