// Keeps a worker to its share of the processors: one that has used more than its share is stopped for a while, as often
// as it takes. So a plugin that computes all the time, on however many threads, leaves the rest to others. Processes
// that it has started are neither counted nor stopped.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/mutex.hpp"
#include "plugin/isolated/worker_process.hpp"
#include "runtime/timers.hpp"

namespace mcph {

// How much processor time may be used now, when time brings in a share of it.
class CpuBudget {
 public:
  using Clock = std::chrono::steady_clock;
  using Duration = std::chrono::nanoseconds;

  // `percent` of one processor; `used` is the processor time that counts for nothing any more.
  CpuBudget(unsigned percent, Clock::time_point now, Duration used);

  // For how long it is to be stopped, when `used` is the processor time that has been used in all.
  Duration throttle_time(Clock::time_point now, Duration used);

 private:
  Duration share_of(Duration time) const { return time * percent_ / 100; }

  const unsigned percent_;
  Clock::time_point last_;
  Duration used_;
  Duration left_;  // negative: this much too much has been used
};

// Any thread; shared with the timers.
class CpuShare : public std::enable_shared_from_this<CpuShare> {
 public:
  // From now on, until the process has ended or end is called. `on_throttled` is called, on the timers' thread, each
  // time that it is stopped, though not once end has returned and what runs on the timers has ended. The timers outlive
  // it.
  static std::shared_ptr<CpuShare> keep(Timers& timers, std::shared_ptr<WorkerProcess> process, unsigned percent,
                                        std::function<void()> on_throttled);

  CpuShare(Timers& timers, std::shared_ptr<WorkerProcess> process, CpuBudget budget,
           std::function<void()> on_throttled);

  // The process goes on, and may use what there is.
  void end();

 private:
  void look_after(std::chrono::milliseconds time);
  void look();

  Timers& timers_;
  const std::shared_ptr<WorkerProcess> process_;
  const std::function<void()> on_throttled_;
  Mutex mutex_;
  CpuBudget budget_ GUARDED_BY(mutex_);
  bool throttled_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
};

}  // namespace mcph
