// Runs tasks when the test says so, on the test's thread: nothing happens at the same time as anything else.
#pragma once

#include <deque>
#include <functional>
#include <new>
#include <utility>

#include "runtime/executor.hpp"

namespace mcph::test {

class ManualExecutor final : public Executor {
 public:
  void run(std::function<void()> task) override {
    if (lacks_memory > 0) {
      --lacks_memory;
      throw std::bad_alloc();
    }
    tasks.push_back(std::move(task));
  }

  bool run_waiting(std::function<void()> task) override {
    if (!has_ended) run(std::move(task));
    return !has_ended;
  }

  void run_all() {
    while (!tasks.empty()) {
      const auto task = std::move(tasks.front());
      tasks.pop_front();
      task();
    }
  }

  std::deque<std::function<void()>> tasks;
  int lacks_memory = 0;    // the next so many times
  bool has_ended = false;  // as threads that take no more of what waits for a disk
};

}  // namespace mcph::test
