#include "shared/periodic_task.hpp"

#include <utility>

namespace plugins {
namespace {

constexpr std::chrono::milliseconds moment{50};

}  // namespace

PeriodicTask::PeriodicTask(std::chrono::milliseconds interval, std::function<void()> task, First first)
    : interval_(interval), task_(std::move(task)), thread_([this, first] { run(first); }) {}

PeriodicTask::~PeriodicTask() {
  {
    const MutexLock lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void PeriodicTask::wake() {
  {
    const MutexLock lock(mutex_);
    is_woken_ = true;
  }
  wake_.notify_all();
}

void PeriodicTask::run(First first) {
  using Clock = std::chrono::steady_clock;
  if (first == First::at_once) task_();
  MutexLock lock(mutex_);
  for (;;) {
    const auto due = Clock::now() + interval_;
    while (!is_stopping_ && !is_woken_ && wake_.wait_until(lock, due)) {
    }
    const auto soon = Clock::now() + moment;
    while (is_woken_ && !is_stopping_ && wake_.wait_until(lock, soon)) {
    }
    if (is_stopping_) return;
    is_woken_ = false;
    lock.unlock();
    task_();
    lock.lock();
  }
}

}  // namespace plugins
