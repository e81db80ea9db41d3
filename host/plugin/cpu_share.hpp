// Keeps a worker to its share of the processors: one that has used more than its share is stopped for a while, as often
// as it takes. So a plugin that computes all the time, on however many threads, leaves the rest to others.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "plugin/worker_process.hpp"
#include "timers.hpp"

namespace mcph {

// How much processor time may be used now, when time brings in a share of it.
class CpuBudget {
 public:
  using Clock = std::chrono::steady_clock;
  using Duration = std::chrono::nanoseconds;

  // `percent` of one processor.
  CpuBudget(unsigned percent, Clock::time_point now);

  // For how long to rest, when `used` is the processor time that has been used in all.
  Duration rest(Clock::time_point now, Duration used);

 private:
  const unsigned percent_;
  Clock::time_point last_;
  Duration used_{0};
  Duration left_;  // negative: this much too much has been used
};

// [any] Until the process has ended. `rests` is called, on the timers' thread, when it rests for the first time.
void keep_to_cpu_share(Timers& timers, std::shared_ptr<WorkerProcess> process, unsigned percent,
                       std::function<void()> rests);

}  // namespace mcph
