// The log of a command that a person runs: inspect, list and call. What plugins print goes to stderr whatever the log's
// level is, because there it is part of the answer, often the part that says what is wrong. Owned by the command; any
// thread.
#pragma once

#include "cli/options.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {

class CommandLog final : public Log {
 public:
  // `tells_refusals`: the command itself says which plugins were refused, and why.
  explicit CommandLog(const HostOptions& options, bool tells_refusals = false);

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override { return log_.writes(level); }

 private:
  const StderrLog::Format format_;
  const bool tells_refusals_;
  StderrLog log_;
  StderrLog output_;   // of what plugins print, where programs read it
  StderrLog crashes_;  // without what is next, because the command ends then
};

}  // namespace mcph
