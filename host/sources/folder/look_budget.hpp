// How often the components folder may be looked at: a look that takes long, at a large folder or over a slow network,
// must not take a processor for as long as something changes there. Looking takes a twentieth of the time, and what has
// not been used of the last seconds is saved, so that a few looks one after the other need not wait. No look is put off
// for longer than a minute, because one that took very long may have been stopped with the host. A value.
#pragma once

#include <algorithm>
#include <chrono>

namespace mcph {

class LookBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // A look that began then has taken so long.
  void spend(Clock::time_point begin, Clock::duration took) {
    due_ = std::min(std::max(due_, begin - saved) + took * share, begin + took + max_pause);
  }

  // When the next look may begin; it may lie in the past.
  Clock::time_point due() const { return due_; }

 private:
  static constexpr int share = 20;
  static constexpr std::chrono::seconds saved{5};
  static constexpr std::chrono::seconds max_pause{60};

  Clock::time_point due_;
};

}  // namespace mcph
