// The log of a program: one line an event, on stderr, as text or as a JSON object. A line that stderr has no room for,
// because nobody reads it or because it is a file on a full disk, is lost; how many are is told once there is room.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/mutex.hpp"
#include "base/utf8.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class StderrLog final : public Log {
 public:
  enum class Format { text, json };

  // How long a line waits for the reader of a pipe or a socket: that of a command, and that of a host, which has others
  // to serve and need not be read (MCP, stdio). Then all are lost until there is room again.
  static constexpr std::chrono::milliseconds for_ever{-1};
  static constexpr std::chrono::milliseconds while_serving{1000};

  // Of each event the field `without` is left out.
  StderrLog(Level level, Format format, std::string_view without = {}, std::chrono::milliseconds patience = for_ever);
  ~StderrLog() override;

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override { return level >= level_; }

  // Whether a value is quoted in the text form: a reader could mistake it for several words, or a terminal for a
  // command. Also in a signal handler.
  static bool needs_quotes(std::string_view value) {
    const auto is_command = [](char first, char second) {
      return first == '\xC2' && static_cast<unsigned char>(second) < 0xA0;
    };
    return value.empty() ||
           std::ranges::any_of(value, [](unsigned char c) { return c <= ' ' || c == '"' || c == 0x7F; }) ||
           std::ranges::adjacent_find(value, is_command) != value.end() || !is_utf8(value);
  }

 private:
  std::string line_of(Level level, std::string_view event, Fields fields) const;
  // False: some have been lost, and that cannot be said now.
  bool tell_lost() REQUIRES(mutex_);
  // False: some of it is not written.
  bool put(std::string_view text, std::chrono::milliseconds patience) REQUIRES(mutex_);

  const Level level_;
  const Format format_;
  const std::string without_;
  const std::size_t max_piece_;
  const std::chrono::milliseconds patience_;
  Mutex mutex_;
  std::uint64_t lost_ GUARDED_BY(mutex_) = 0;
  bool is_cut_ GUARDED_BY(mutex_) = false;  // the last line that has been begun
};

}  // namespace mcph
