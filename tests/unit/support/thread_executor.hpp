// Runs each task on a thread of its own, so that none waits for another; joins them when it goes.
#pragma once

#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/executor.hpp"

namespace mcph::test {

class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor() = default;
  ~ThreadExecutor() override {
    for (auto& thread : threads_)
      thread.join();
  }
  ThreadExecutor(const ThreadExecutor&) = delete;
  ThreadExecutor& operator=(const ThreadExecutor&) = delete;

  void run(std::function<void()> task) override {
    const std::lock_guard lock(mutex_);
    threads_.emplace_back(std::move(task));
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

}  // namespace mcph::test
