// Where code that may block runs: the calls of plugins in this process. Implemented by the threads that serve clients.
#pragma once

#include <functional>

namespace mcph {

class CallRunner {
 public:
  virtual ~CallRunner() = default;

  // [any] Runs the task soon, after this function has returned or on another thread.
  virtual void run(std::function<void()> task) = 0;
};

}  // namespace mcph
