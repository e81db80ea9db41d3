// What the log has been told of each plugin over a longer time, also where it does not write that: which versions of
// its file there were, and how it crashed last. It passes everything on. Owned by the command serve, where there is a
// dashboard, and made before anything has something to say; any thread.
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

class PluginHistory final : public Log {
 public:
  static constexpr std::size_t max_events = 20;         // of one file
  static constexpr std::size_t max_frames = 64;         // of one crash
  static constexpr std::size_t max_field_bytes = 4000;  // of one field or frame, which is cut off there
  // Those of whom nothing has been said for longest are forgotten first.
  static constexpr std::size_t max_plugins = 1000;

  // The log outlives it.
  explicit PluginHistory(Log& log) : log_(log) {}

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override { return log_.writes(level); }

  // What became of the versions of a file, the last first, each a JSON object. Then the frames of a plugin's last
  // crash.
  std::vector<std::string> events_of(const std::string& file) const;
  std::vector<std::string> backtrace_of(const std::string& plugin) const;

 private:
  struct Lines {
    std::deque<std::string> lines = {};
    std::uint64_t told_at = 0;  // a count of what has been noted
  };
  using LinesByName = std::map<std::string, Lines>;

  // Forgets some, where there is no room for one more.
  std::deque<std::string>& lines_of(LinesByName& all, std::string_view name) REQUIRES(mutex_);
  static std::vector<std::string> told_of(const LinesByName& all, const std::string& name);
  void note_frame(std::string_view plugin, std::string_view frame) REQUIRES(mutex_);

  Log& log_;
  mutable Mutex mutex_;
  std::uint64_t noted_ GUARDED_BY(mutex_) = 0;
  LinesByName events_ GUARDED_BY(mutex_);      // by file
  LinesByName backtraces_ GUARDED_BY(mutex_);  // by plugin
};

}  // namespace mcph
