#include "plugin/call_deadlines.hpp"

#include <algorithm>

#include "plugin/debugger.hpp"

namespace mcph {
namespace {

// Between two looks while a call takes longer than it may.
constexpr std::chrono::milliseconds overdue_interval{50};

}  // namespace

CallDeadlines::~CallDeadlines() {
  {
    const MutexLock lock(mutex_);
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

void CallDeadlines::set_timer(Clock::time_point oldest) {
  const auto now = Clock::now();
  auto due = counted_from(oldest) + times_.call;
  // Once one is cancelled, others may be about to be.
  if (due <= now) due = now + overdue_interval;
  const MutexLock lock(mutex_);
  if (is_debugged_) due = std::min(due, now + Patience::look_interval);
  const auto delay = std::chrono::ceil<std::chrono::milliseconds>(due - now);
  if (!ending_) timer_ = timers_.after(delay, [this] { look(); });
}

CallDeadlines::Clock::time_point CallDeadlines::counted_from(Clock::time_point begin) {
  const MutexLock lock(mutex_);
  return std::max(begin, debugged_at_);
}

void CallDeadlines::look() {
  const auto now = Clock::now();
  const bool is_debugged = debugged_();
  {
    const MutexLock lock(mutex_);
    is_debugged_ = is_debugged;
    if (is_debugged) debugged_at_ = now;
  }
  for (const auto& [id, call, begin] : calls_.begun_before(now - times_.call)) {
    const auto taken = now - counted_from(begin);
    if (taken < times_.call) continue;
    call->cancel(CancelReason::deadline, late_(*call));
    if (taken >= times_.call + times_.grace) overdue_(id, *call);
  }
  watching_ = false;
  watch();
}

}  // namespace mcph
