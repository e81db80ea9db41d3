// PeriodicTask: a thread that does something now and then, until this object is destroyed; then it finishes what it is
// doing and ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace plugins::docs {

class PeriodicTask {
 public:
  // `task` runs first after one interval. It must not throw.
  PeriodicTask(std::chrono::milliseconds interval, std::function<void()> task);
  PeriodicTask(const PeriodicTask&) = delete;
  PeriodicTask& operator=(const PeriodicTask&) = delete;
  ~PeriodicTask();

 private:
  void run();

  const std::chrono::milliseconds interval_;
  const std::function<void()> task_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool is_stopping_ = false;
  std::thread thread_;  // last, so that everything it uses is there when it begins
};

}  // namespace plugins::docs
