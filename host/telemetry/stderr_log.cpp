#include "telemetry/stderr_log.hpp"

#include <algorithm>

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/json_text.hpp"
#include "telemetry/log_text.hpp"

namespace mcph {
namespace {

spdlog::level::level_enum to_spdlog(Log::Level level) {
  switch (level) {
    case Log::Level::trace:
      return spdlog::level::trace;
    case Log::Level::debug:
      return spdlog::level::debug;
    case Log::Level::info:
      return spdlog::level::info;
    case Log::Level::warning:
      return spdlog::level::warn;
    case Log::Level::error:
      return spdlog::level::err;
    case Log::Level::off:
      break;
  }
  return spdlog::level::off;
}

// In UTC, as json_line has it.
constexpr auto text_pattern = "%Y-%m-%dT%H:%M:%S.%eZ %-7l %v";
constexpr auto json_pattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

std::string as_text(std::string_view event, Log::Fields fields, std::string_view without) {
  std::string line(event);
  for (const auto& field : fields) {
    if (field.name == without) continue;
    line.append(" ").append(field.name).append("=");
    if (StderrLog::needs_quotes(field.value)) {
      std::string quoted;
      append_json_string(quoted, field.value);
      line += with_escaped_controls(std::move(quoted));
    } else {
      line.append(field.value);
    }
  }
  return line;
}

}  // namespace

StderrLog::StderrLog(Level level, Format format, std::string_view without)
    : format_(format),
      without_(without),
      logger_(std::make_unique<spdlog::logger>("host", std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_pattern(format == Format::json ? json_pattern : text_pattern, spdlog::pattern_time_type::utc);
  logger_->set_level(to_spdlog(level));
  logger_->flush_on(spdlog::level::debug);
}

StderrLog::~StderrLog() = default;

bool StderrLog::writes(Level level) const {
  return logger_->should_log(to_spdlog(level));
}

void StderrLog::write(Level level, std::string_view event, Fields fields) {
  const auto severity = to_spdlog(level);
  if (!logger_->should_log(severity)) return;
  // Passed as an argument, not as a format, so that braces in it are text.
  logger_->log(severity, "{}",
               format_ == Format::json ? with_escaped_controls(json_members(event, fields, without_))
                                       : as_text(event, fields, without_));
}

}  // namespace mcph
