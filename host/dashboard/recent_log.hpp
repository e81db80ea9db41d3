// A log whose last lines can be looked at, with what is told of each plugin over a longer time: which versions of it
// there were, and how it crashed last. It passes everything on, and remembers what the log writes. Made by main before
// anything has something to say; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class RecentLog final : public Log {
 public:
  static constexpr std::size_t max_lines = 1000;
  static constexpr std::size_t max_bytes = std::size_t{4} << 20;  // of all lines
  static constexpr std::size_t max_field_bytes = 4000;            // of one field, which is cut off there
  // Of one plugin, and how many plugins are told apart; the others are not.
  static constexpr std::size_t max_events = 20;
  static constexpr std::size_t max_frames = 64;
  static constexpr std::size_t max_plugins = 1000;

  // The log outlives it.
  explicit RecentLog(Log& log) : log_(log) {}

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override { return log_.writes(level); }

  // The last lines that have come after the one of this number, each a JSON object.
  struct News {
    std::vector<std::string> lines = {};
    std::uint64_t last = 0;  // the number of the last line of all
    std::uint64_t left_out = 0;
  };
  News since(std::uint64_t seen, std::size_t most) const;

  // Lines about the versions of a file, the last ones first; and the frames of a plugin's last crash.
  std::vector<std::string> history_of(const std::string& file) const;
  std::vector<std::string> backtrace_of(const std::string& plugin) const;

 private:
  void keep(std::string line) REQUIRES(mutex_);
  void note_event(std::string_view event, Fields fields, const std::string& line) REQUIRES(mutex_);

  Log& log_;
  mutable Mutex mutex_;
  std::uint64_t last_ GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::deque<std::string> lines_ GUARDED_BY(mutex_);
  std::map<std::string, std::deque<std::string>> histories_ GUARDED_BY(mutex_);    // by file
  std::map<std::string, std::vector<std::string>> backtraces_ GUARDED_BY(mutex_);  // by plugin
};

}  // namespace mcph
