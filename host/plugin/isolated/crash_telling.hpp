// Tells of crashes of one plugin version when their places have been found in its source, which takes its time, and
// what must not be told before them. In order, on a thread that all plugins share for this, and at once where there is
// nothing to find and nothing before it. Owned by the supervisor; any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/isolated/stack_trace.hpp"
#include "plugin/isolated/symbolizer.hpp"
#include "plugin/library/private_copy.hpp"
#include "runtime/timers.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class CrashTelling {
 public:
  using Tell = std::function<void(const ReadableStacks& stacks)>;

  // All of it outlives this object. `name` is that of the library for people.
  CrashTelling(Timers& thread, const Symbolizer& symbolizer, const PrivateCopy& library, std::string name, Log& log)
      : thread_(thread), symbolizer_(symbolizer), library_(library), name_(std::move(name)), log_(log) {}
  CrashTelling(const CrashTelling&) = delete;
  CrashTelling& operator=(const CrashTelling&) = delete;

  // In its turn. What cannot be found is told without.
  void once_readable(std::vector<StackTrace> traces, Tell tell);
  void in_turn(std::function<void()> tell);

  // Until all has been told. Not on the thread that tells.
  void wait();

 private:
  bool is_idle();
  void run_in_turn(std::function<void()> task);
  Symbols find(const std::vector<std::string>& places);

  Timers& thread_;
  const Symbolizer& symbolizer_;
  const PrivateCopy& library_;
  const std::string name_;
  Log& log_;
  std::atomic<bool> gave_up_{false};  // the library's debug data is not to be read
  Mutex mutex_;
  Condition told_;
  std::size_t untold_ GUARDED_BY(mutex_) = 0;
};

}  // namespace mcph
