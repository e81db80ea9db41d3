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

  // How long to wait; nothing: not any more. After more than a period without a crash the delays begin anew; a delay is
  // no part of that, which may be longer.
  std::optional<std::chrono::milliseconds> after_crash(Clock::time_point now);

 private:
  Limits limits_;
  std::deque<Clock::time_point> crashes_;  // of the last period
  std::chrono::milliseconds next_delay_{0};
  Clock::time_point restarted_at_;  // after the last crash, as far as that was let
};

}  // namespace mcph
