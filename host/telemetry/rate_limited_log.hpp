// The log of one source that takes only so many lines a second of each event, so that whoever causes them at will, a
// client or a plugin, fills no disk and hides nothing else. What is left out is counted, and told in one line after its
// second: with the next line of the event, when the owner asks for it, or at the end. Owned by the source; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "telemetry/log.hpp"

namespace mcph {

// Lines a second of one event.
inline constexpr std::size_t max_lines_of_clients = 10;
inline constexpr std::size_t max_lines_of_plugin = 500;

class RateLimitedLog final : public Log {
 public:
  using Clock = std::chrono::steady_clock;
  struct LeftOut {
    std::string event;
    Level level = Level::info;  // of the last line
    std::size_t lines = 0;
  };
  // Writes to the log, which is not this one, how much was left out.
  using Tell = std::function<void(Log& log, const LeftOut& left_out)>;

  // The log outlives it.
  RateLimitedLog(Log& log, std::size_t max_lines, Tell tell = tell_event,
                 std::function<Clock::time_point()> now = Clock::now);
  ~RateLimitedLog() override;
  RateLimitedLog(const RateLimitedLog&) = delete;
  RateLimitedLog& operator=(const RateLimitedLog&) = delete;

  bool writes(Level level) const override { return log_.writes(level); }
  void write(Level level, std::string_view event, Fields fields) override;

  // Tells what was left out in seconds that are over.
  void tell_left_out();

  // "lines left out of=EVENT lines=NUMBER", at the level of the last of them.
  static void tell_event(Log& log, const LeftOut& left_out);

 private:
  // Of one event, from its first line on.
  struct Second {
    Clock::time_point begin;
    std::size_t lines = 0;
    LeftOut left_out = {};
  };

  Log& log_;
  const std::size_t max_lines_;
  const Tell tell_;
  const std::function<Clock::time_point()> now_;
  Mutex mutex_;
  std::map<std::string, Second, std::less<>> seconds_ GUARDED_BY(mutex_);  // by event
};

}  // namespace mcph
