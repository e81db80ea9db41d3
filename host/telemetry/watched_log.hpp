// A log that can be watched while the host runs: each watcher gets what it wants to see as lines of JSON, also of the
// levels that the log itself does not write. Nobody who writes waits for a watcher. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class WatchedLog final : public Log {
 public:
  static constexpr std::size_t max_watchers = 8;
  // Lines that one has not taken; those beyond are left out, and counted.
  static constexpr std::size_t max_lines = 1000;

  // Whether a watcher wants to see an event.
  using Wants = std::function<bool(std::string_view event, Fields fields)>;

  class Watcher {
   public:
    explicit Watcher(Wants wants) : wants_(std::move(wants)) {}

    // The next line, without its end; nothing: there is none within that time.
    std::optional<std::string> next(std::chrono::milliseconds patience);

   private:
    friend class WatchedLog;
    bool wants(std::string_view event, Fields fields) const { return wants_(event, fields); }
    void take(const std::string& line);

    const Wants wants_;
    Mutex mutex_;
    Condition filled_;
    std::deque<std::string> lines_ GUARDED_BY(mutex_);
    std::uint64_t missed_ GUARDED_BY(mutex_) = 0;
  };

  // The log outlives it.
  explicit WatchedLog(Log& log) : log_(log) {}

  // Watches for as long as somebody has the watcher. Null: there are as many as may be.
  std::shared_ptr<Watcher> watch(Wants wants);

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override { return is_watched_.load() || log_.writes(level); }

 private:
  std::vector<std::shared_ptr<Watcher>> watchers();

  Log& log_;
  std::atomic<bool> is_watched_{false};
  Mutex mutex_;
  std::vector<std::weak_ptr<Watcher>> watchers_ GUARDED_BY(mutex_);
};

}  // namespace mcph
