#include "plugin/call_deadlines.hpp"

#include <algorithm>
#include <new>
#include <vector>

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

std::chrono::milliseconds CallDeadlines::time_of(const Call& call, std::chrono::milliseconds of_plugin) {
  const auto own = call.time_limit();
  if (!own) return of_plugin;
  return of_plugin.count() == 0 ? *own : std::min(*own, of_plugin);
}

void CallDeadlines::watch() {
  std::vector<CallsInFlight::Begun> begun;  // a last reference to a call goes away without the lock
  const MutexLock lock(mutex_);
  // A call that comes from now on watches again by itself; all others are seen below.
  next_look_ = Clock::time_point::max();
  if (timer_) timers_.cancel(*timer_);
  timer_.reset();
  if (ending_) return;
  auto due = Clock::time_point::max();
  begun = calls_.begun();
  for (const auto& [id, call, begin] : begun) {
    const auto time = time_of(*call);
    if (time.count() != 0) due = std::min(due, std::max(begin, debugged_at_) + time);
  }
  if (due == Clock::time_point::max()) return;
  const auto now = Clock::now();
  // Once one is cancelled, others may be about to be.
  if (due <= now) due = now + overdue_interval;
  if (is_debugged_) due = std::min(due, now + Patience::look_interval);
  next_look_ = due;
  timer_ = timers_.after(std::chrono::ceil<std::chrono::milliseconds>(due - now), [this] { look(); });
}

void CallDeadlines::look() {
  try {
    cancel_late_calls();
  } catch (const std::bad_alloc&) {  // at the next look
  }
  watch();
}

void CallDeadlines::cancel_late_calls() {
  const auto now = Clock::now();
  const bool is_debugged = debugged_();
  const auto debugged_at = [&] {
    const MutexLock lock(mutex_);
    is_debugged_ = is_debugged;
    if (is_debugged) debugged_at_ = now;
    return debugged_at_;
  }();
  for (const auto& [id, call, begin] : calls_.begun()) {
    const auto taken = now - std::max(begin, debugged_at);
    const auto time = time_of(*call);
    if (time.count() == 0 || taken < time) continue;
    call->cancel(CancelReason::deadline, late_(*call));
    if (taken >= time + times_.grace) overdue_(id, *call);
  }
}

}  // namespace mcph
