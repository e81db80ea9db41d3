// When a worker that has crashed is started again: at once, then after a time that doubles with each further crash,
// and no more when there were too many in a while. A value; of whoever restarts.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

namespace mcph {

class RestartPolicy {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::size_t crashes = 5;  // within `period`: then it is not started again; 0: it always is
    std::chrono::milliseconds period{60'000};
    std::chrono::milliseconds first_delay{100};  // before the second restart in a row
    std::chrono::milliseconds last_delay{30'000};
  };

  explicit RestartPolicy(Limits limits) : limits_(limits) {}

  // How long to wait; nothing: not any more. Crashes more than a period apart have nothing to do with each other.
  std::optional<std::chrono::milliseconds> after_crash(Clock::time_point now);

 private:
  Limits limits_;
  std::deque<Clock::time_point> crashes_;  // of the last period
  std::chrono::milliseconds next_delay_{0};
};

}  // namespace mcph
