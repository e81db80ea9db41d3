// A log that can be watched while the host runs: each watcher gets what it wants to see as lines of JSON, also of the
// levels that the log itself does not write. Nobody who writes waits for a watcher. The last lines that the log has
// written are kept for those who come later, and numbered for those who look from time to time. Any thread.
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
  // What is kept for those who come later.
  static constexpr std::size_t max_kept_lines = 1000;
  static constexpr std::size_t max_kept_bytes = std::size_t{128} << 10;
  static constexpr std::size_t max_kept_field_bytes = 4096;  // of one field, which is cut off there

  // Whether a watcher wants to see an event.
  using Wants = std::function<bool(std::string_view event, Fields fields)>;

  class Watcher {
   public:
    Watcher(Wants wants, Level from) : wants_(std::move(wants)), from_(from) {}

    // The next line, without its end; nothing: there is none within that time.
    std::optional<std::string> next(std::chrono::milliseconds patience);

   private:
    friend class WatchedLog;
    bool wants(Level level, std::string_view event, Fields fields) const {
      return level >= from_ && wants_(event, fields);
    }
    void take(const std::string& line);

    const Wants wants_;
    const Level from_;
    Mutex mutex_;
    Condition filled_;
    std::deque<std::string> lines_ GUARDED_BY(mutex_);
    std::uint64_t missed_ GUARDED_BY(mutex_) = 0;
  };

  // The log outlives it.
  explicit WatchedLog(Log& log) : log_(log) {}

  // Watches what is of this level at least, for as long as somebody has the watcher. Null: there are as many as may be.
  // `kept` gets what is kept of the lines before, of all levels and whoever wants them: none is missed, none comes
  // twice.
  std::shared_ptr<Watcher> watch(Wants wants, Level from = Level::trace, std::vector<std::string>* kept = nullptr);

  // The last lines of those that the log has written after the one of this number.
  struct News {
    std::vector<std::string> lines = {};
    std::uint64_t last = 0;      // the number of the last line of all; the first has 1
    std::uint64_t left_out = 0;  // because they are more than `most`, or are kept no longer
  };
  News since(std::uint64_t seen, std::size_t most) const;

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override { return level >= watched_from_.load() || log_.writes(level); }

 private:
  using Watchers = std::vector<std::shared_ptr<Watcher>>;
  // Those that there are; as from which level is learnt, too.
  Watchers watchers() REQUIRES(mutex_);
  // Empty: the log does not write it. Returns the watchers that may want to see it.
  Watchers keep(std::string line);

  Log& log_;
  std::atomic<Level> watched_from_{Level::off};
  mutable Mutex mutex_;
  std::vector<std::weak_ptr<Watcher>> watchers_ GUARDED_BY(mutex_);
  std::uint64_t last_ GUARDED_BY(mutex_) = 0;  // how many lines there have been
  std::deque<std::string> kept_ GUARDED_BY(mutex_);
  std::size_t kept_bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace mcph
