// A thread that looks after what has begun, once a millisecond, and sleeps while nothing begins. It is started for the
// first task, for which a worker may wait for days. Owned by who owns the tasks; its destructor waits for the thread.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "base/mutex.hpp"

namespace mcph {

class Watchdog {
 public:
  // `look`, on the watchdog's thread: whether something that has begun still runs.
  explicit Watchdog(std::function<bool()> look) : look_(std::move(look)) {}
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // [any] It is looked at within two milliseconds; where the system gives no thread, from the first task on for which
  // it gives one. Costs next to nothing while the watchdog is awake.
  void task_began() {
    // Written only when it changes: the threads share its cache line.
    if (!began_.load(std::memory_order_relaxed)) began_.store(true);
    if (asleep_.load() && asleep_.exchange(false)) wake();
  }

 private:
  void wake();
  void watch();

  const std::function<bool()> look_;
  Mutex mutex_;
  Condition changed_;
  std::atomic<bool> asleep_{true};
  std::atomic<bool> began_{false};  // since the watchdog looked last
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_ GUARDED_BY(mutex_);
};

}  // namespace mcph
