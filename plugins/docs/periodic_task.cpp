#include "docs/periodic_task.hpp"

#include <utility>

namespace plugins::docs {

PeriodicTask::PeriodicTask(std::chrono::milliseconds interval, std::function<void()> task)
    : interval_(interval), task_(std::move(task)), thread_([this] { run(); }) {}

PeriodicTask::~PeriodicTask() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void PeriodicTask::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval_, [this] { return is_stopping_; })) {
    lock.unlock();
    task_();
    lock.lock();
  }
}

}  // namespace plugins::docs
