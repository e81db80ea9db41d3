// A log that keeps what is written to it, from a level on that the test sets: "event field=value field=value".
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "telemetry/log.hpp"

namespace mcph::test {

class RecordingLog final : public Log {
 public:
  explicit RecordingLog(Level from = Level::debug) : from_(from) {}

  void set_level(Level from) { from_ = from; }
  bool writes(Level level) const override { return level >= from_; }
  void write(Level level, std::string_view event, Fields fields) override {
    if (!writes(level)) return;
    std::string line(event);
    for (const auto& field : fields)
      line.append(" ").append(field.name).append("=").append(field.value);
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    levels_.push_back(level);
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  // Those since the last time, and of what levels they are.
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    levels_.clear();
    return std::exchange(lines_, {});
  }
  std::vector<Level> levels() const {
    const std::lock_guard lock(mutex_);
    return levels_;
  }
  // Lines that begin so.
  std::size_t count(std::string_view beginning) const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(lines_.begin(), lines_.end(), [&](const auto& line) { return line.starts_with(beginning); }));
  }

 private:
  Level from_;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::vector<Level> levels_;
};

}  // namespace mcph::test
