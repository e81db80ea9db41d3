#include "docs/periodic_task.hpp"

#include <utility>

namespace plugins::docs {
namespace {

constexpr std::chrono::milliseconds moment{50};

}  // namespace

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

void PeriodicTask::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  wake_.notify_all();
}

void PeriodicTask::run() {
  const auto is_stopping = [this] { return is_stopping_; };
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool woken = wake_.wait_for(lock, interval_, [this] { return is_stopping_ || is_woken_; });
    if (woken) wake_.wait_for(lock, moment, is_stopping);
    if (is_stopping_) return;
    is_woken_ = false;
    lock.unlock();
    task_();
    lock.lock();
  }
}

}  // namespace plugins::docs
