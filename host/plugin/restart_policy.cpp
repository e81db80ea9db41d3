#include "plugin/restart_policy.hpp"

#include <algorithm>
#include <utility>

namespace mcph {

std::optional<std::chrono::milliseconds> RestartPolicy::after_crash(Clock::time_point now) {
  while (!crashes_.empty() && now - crashes_.front() > limits_.period)
    crashes_.pop_front();
  if (now - restarted_at_ > limits_.period) next_delay_ = {};
  crashes_.push_back(now);
  if (limits_.crashes > 0 && crashes_.size() >= limits_.crashes) return std::nullopt;
  // Where nothing is given up, more need not be remembered.
  constexpr std::size_t max_remembered = 100;
  if (crashes_.size() > std::max(limits_.crashes, max_remembered)) crashes_.pop_front();
  const auto following = std::min(std::max(2 * next_delay_, limits_.first_delay), limits_.last_delay);
  restarted_at_ = now + next_delay_;
  return std::exchange(next_delay_, following);
}

}  // namespace mcph
