// The log of a program: one line an event, on stderr, as text or as a JSON object.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "telemetry/log.hpp"

namespace spdlog {
class logger;
}

namespace mcph {

class StderrLog final : public Log {
 public:
  enum class Format { text, json };

  // Of each event the field `without` is left out.
  StderrLog(Level level, Format format, std::string_view without = {});
  ~StderrLog() override;

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override;

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
  const Format format_;
  const std::string without_;
  const std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace mcph
