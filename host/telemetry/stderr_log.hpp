// The log of a program: one line an event, on stderr, as text or as a JSON object.
#pragma once

#include <memory>

#include "telemetry/log.hpp"

namespace spdlog {
class logger;
}

namespace mcph {

class StderrLog final : public Log {
 public:
  enum class Format { text, json };

  StderrLog(Level level, Format format);
  ~StderrLog() override;

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override;

 private:
  const Format format_;
  const std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace mcph
