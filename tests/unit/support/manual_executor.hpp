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
    if (std::exchange(lacks_memory_once, false)) throw std::bad_alloc();
    tasks.push_back(std::move(task));
  }

  void run_all() {
    while (!tasks.empty()) {
      const auto task = std::move(tasks.front());
      tasks.pop_front();
      task();
    }
  }

  std::deque<std::function<void()>> tasks;
  bool lacks_memory_once = false;  // for the next task
};

}  // namespace mcph::test
