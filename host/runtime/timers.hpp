// Runs functions at a later time, on one thread of its own. For what happens seldom and need not be punctual to the
// millisecond: all wait for each other, so whoever has one that takes long, as to start a process or to find the lines
// of a crash, makes all others of these timers late by that. What one throws is dropped. Owned by who assembles the
// program; any thread. The destructor stops them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "base/mutex.hpp"

namespace mcph {

class Timers {
 public:
  using Clock = std::chrono::steady_clock;
  // Tells one timer from all others.
  using Id = std::pair<Clock::time_point, std::uint64_t>;

  Timers() : thread_([this] { run(); }) {}
  ~Timers();
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  Id after(std::chrono::milliseconds delay, std::function<void()> function);

  // Does nothing if it has run, runs, or was cancelled before. Does not wait for one that runs.
  void cancel(const Id& id);

  // Waits for a function that runs now, if it is not the caller.
  void wait_for_running();

  // Drops what is still to come and waits for a function that runs. From then on nothing runs.
  void stop();

 private:
  void run();

  Mutex mutex_;
  Condition changed_;
  std::map<Id, std::function<void()>> pending_ GUARDED_BY(mutex_);
  std::uint64_t last_ GUARDED_BY(mutex_) = 0;
  bool running_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace mcph
