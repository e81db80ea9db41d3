// Whether the event loops still answer: each is given something to do that takes no time, and must come to it soon.
// One thread at a time, but for the answers; the loops outlive it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "runtime/event_loops.hpp"

namespace mcph {

class LoopCheck {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  LoopCheck(EventLoops& loops, Clock::duration patience, Now now = Clock::now)
      : loops_(loops), patience_(patience), now_(std::move(now)) {}

  // Asks each loop, unless one has not answered yet. True: before that, all have answered in time what they had been
  // asked the last time.
  bool ask();

 private:
  struct Probe {
    Clock::time_point asked;
    std::atomic<std::size_t> answers{0};
    std::atomic<bool> is_late{false};
  };

  EventLoops& loops_;
  const Clock::duration patience_;
  const Now now_;
  std::shared_ptr<Probe> probe_;  // null: nothing has been asked
  std::size_t asked_loops_ = 0;
};

}  // namespace mcph
