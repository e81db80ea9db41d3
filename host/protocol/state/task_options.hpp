// What becomes a task, and how many there may be. A value.
#pragma once

#include <chrono>
#include <cstddef>

namespace mcph {

struct TaskOptions {
  std::chrono::milliseconds after{5000};  // a call that takes longer becomes a task
  std::chrono::seconds lifetime{3600};    // from its creation; then it is ended and forgotten
  std::size_t count = 1000;               // at once, with those that have ended; with more, calls stay calls
};

}  // namespace mcph
