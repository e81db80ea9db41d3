// Whether somebody debugs a process: then nobody may hold it to a limit of time, because it stands still while a person
// looks at it.
#pragma once

#include <chrono>

namespace mcph {

// [any] The process that traces the first thread of this one, as a debugger does; 0: none, or the process is not there,
// or its /proc cannot be read.
int tracer_of(int process);

// For how long a process is waited for. Time does not count while it is debugged, and begins anew then. A value.
class Patience {
 public:
  explicit Patience(std::chrono::milliseconds time) : time_(time) {}

  // Until is_over is to be asked.
  std::chrono::milliseconds wait() const { return is_debugged_ ? look_interval : time_; }
  bool is_over(bool is_debugged) {
    const bool counted = !is_debugged_;
    is_debugged_ = is_debugged;
    return counted && !is_debugged;
  }

  static constexpr std::chrono::milliseconds look_interval{100};

 private:
  std::chrono::milliseconds time_;
  bool is_debugged_ = false;
};

}  // namespace mcph
