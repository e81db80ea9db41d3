// Whether to look for an answer for a moment before the thread goes on: to be woken takes longer than a quick call. A
// look that was in vain is followed by some that are left out. A value; one thread at a time.
#pragma once

#include <chrono>
#include <thread>

namespace mcph {

class ShortWait {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::microseconds look_time{50};
  static constexpr int left_out = 7;

  // Calls `look` until it says that there is nothing more to look for, or the time is over. `now` reads the clock.
  template <class Look, class Now>
  void operator()(Look&& look, Now&& now) {
    if (to_leave_out_ > 0) {
      --to_leave_out_;
      return;
    }
    const auto deadline = now() + look_time;
    while (look()) {
      if (now() >= deadline) {
        to_leave_out_ = left_out;
        return;
      }
      std::this_thread::yield();  // to whoever has something to do, the worker perhaps
    }
  }

 private:
  int to_leave_out_ = 0;
};

}  // namespace mcph
