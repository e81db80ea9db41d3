#include "plugin/isolated/cpu_share.hpp"

#include <algorithm>
#include <utility>

namespace mcph {
namespace {

using std::chrono::milliseconds;

// Between two looks at one that is not throttled: what it may use beyond its share at most, on each processor.
constexpr milliseconds look_interval{20};
// What it has used beyond that is forgiven, so that it can always heed a cancellation before it is too late.
constexpr milliseconds max_throttle_time{1000};
// What one that has used nothing for a while may use before its share counts.
constexpr milliseconds saved_at_most{100};

}  // namespace

CpuBudget::CpuBudget(unsigned percent, Clock::time_point now, Duration used)
    : percent_(percent), last_(now), used_(used), left_(share_of(saved_at_most)) {}

CpuBudget::Duration CpuBudget::throttle_time(Clock::time_point now, Duration used) {
  left_ += share_of(now - last_) - (used - used_);
  left_ = std::clamp(left_, -share_of(max_throttle_time), share_of(saved_at_most));
  last_ = now;
  used_ = used;
  return left_.count() >= 0 ? Duration(0) : -left_ * 100 / percent_;
}

std::shared_ptr<CpuShare> CpuShare::keep(Timers& timers, std::shared_ptr<WorkerProcess> process, unsigned percent,
                                         std::function<void()> on_throttled) {
  const CpuBudget budget(percent, CpuBudget::Clock::now(), process->cpu_time().value_or(CpuBudget::Duration(0)));
  auto share = std::make_shared<CpuShare>(timers, std::move(process), budget, std::move(on_throttled));
  share->look_after(look_interval);
  return share;
}

CpuShare::CpuShare(Timers& timers, std::shared_ptr<WorkerProcess> process, CpuBudget budget,
                   std::function<void()> on_throttled)
    : timers_(timers), process_(std::move(process)), on_throttled_(std::move(on_throttled)), budget_(budget) {}

void CpuShare::end() {
  const MutexLock lock(mutex_);
  ended_ = true;
  if (throttled_) process_->resume();
}

void CpuShare::look_after(milliseconds time) {
  timers_.after(time, [self = shared_from_this()] { self->look(); });
}

void CpuShare::look() {
  MutexLock lock(mutex_);
  if (ended_) return;
  const auto used = process_->cpu_time();
  if (!used) return;
  const auto time = std::chrono::ceil<milliseconds>(budget_.throttle_time(CpuBudget::Clock::now(), *used));
  look_after(std::max(time, look_interval));
  const bool was_throttled = std::exchange(throttled_, time.count() > 0);
  if (!throttled_) {
    if (was_throttled) process_->resume();
    return;
  }
  if (process_->is_debugged()) return;
  process_->pause();  // each time, because others may have let it go on
  lock.unlock();
  on_throttled_();
}

}  // namespace mcph
