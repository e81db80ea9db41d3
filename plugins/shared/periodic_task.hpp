// PeriodicTask: a thread that does something now and then, and when it is woken, until this object is destroyed; then
// it finishes what it is doing and ends.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "shared/mutex.hpp"

namespace plugins {

class PeriodicTask {
 public:
  enum class First { after_interval, at_once };

  // `task` must not throw.
  PeriodicTask(std::chrono::milliseconds interval, std::function<void()> task, First first = First::after_interval);
  PeriodicTask(const PeriodicTask&) = delete;
  PeriodicTask& operator=(const PeriodicTask&) = delete;
  ~PeriodicTask();

  // The task runs soon, once for all that wakes it in a moment. Any thread.
  void wake();

 private:
  void run(First first);

  const std::chrono::milliseconds interval_;
  const std::function<void()> task_;
  Mutex mutex_;
  Condition wake_;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  bool is_woken_ GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last, so that everything it uses is there when it begins
};

}  // namespace plugins
