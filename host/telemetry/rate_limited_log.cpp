#include "telemetry/rate_limited_log.hpp"

#include <utility>
#include <vector>

namespace mcph {
namespace {

constexpr std::chrono::seconds period{1};

}  // namespace

RateLimitedLog::RateLimitedLog(Log& log, std::size_t max_lines, Tell tell, std::function<Clock::time_point()> now)
    : log_(log), max_lines_(max_lines), tell_(std::move(tell)), now_(std::move(now)) {}

RateLimitedLog::~RateLimitedLog() {
  for (const auto& [event, second] : seconds_)
    if (second.left_out.lines > 0) tell_(log_, second.left_out);
}

void RateLimitedLog::write(Level level, std::string_view event, Fields fields) {
  bool taken = false;
  LeftOut left_out;
  {
    const MutexLock lock(mutex_);
    const auto now = now_();
    auto found = seconds_.find(event);
    if (found == seconds_.end()) found = seconds_.emplace(event, Second{.begin = now}).first;
    auto& second = found->second;
    if (now - second.begin >= period) left_out = std::exchange(second, {.begin = now}).left_out;
    taken = second.lines < max_lines_;
    if (taken) ++second.lines;
    if (!taken) second.left_out = {std::string(event), level, second.left_out.lines + 1};
  }
  if (left_out.lines > 0) tell_(log_, left_out);
  if (taken) log_.write(level, event, fields);
}

void RateLimitedLog::tell_left_out() {
  std::vector<LeftOut> all;
  {
    const MutexLock lock(mutex_);
    const auto now = now_();
    for (auto& [event, second] : seconds_) {
      if (second.left_out.lines > 0 && now - second.begin >= period) {
        all.push_back(std::exchange(second, {.begin = now}).left_out);
      }
    }
  }
  for (const auto& left_out : all)
    tell_(log_, left_out);
}

void RateLimitedLog::tell_event(Log& log, const LeftOut& left_out) {
  log.write(left_out.level, "lines left out", {{"of", left_out.event}, {"lines", left_out.lines}});
}

}  // namespace mcph
