// Whether to look for an answer for a moment before the thread goes on: to be woken takes longer than a quick call. A
// look that was in vain is followed by some that are left out.
//   if (wait.begin(now())) while (nothing_has_come() && wait.goes_on(now())) {}
// A value; one thread at a time.
#pragma once

#include <chrono>

namespace mcph {

class ShortWait {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::microseconds look_time{50};
  static constexpr int left_out = 7;

  // False: this look is left out.
  bool begin(Clock::time_point now) {
    deadline_ = now + look_time;
    if (to_leave_out_ == 0) return true;
    --to_leave_out_;
    return false;
  }

  // Something has come, and more may.
  void begin_again(Clock::time_point now) { deadline_ = now + look_time; }

  // After nothing has come. False: it has been in vain.
  bool goes_on(Clock::time_point now) {
    if (now < deadline_) return true;
    to_leave_out_ = left_out;
    return false;
  }

 private:
  Clock::time_point deadline_;
  int to_leave_out_ = 0;
};

}  // namespace mcph
