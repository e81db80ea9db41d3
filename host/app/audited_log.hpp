// The log of a host that has an audit log, too: what it says of plugins and of the configuration is written to both.
// Made by a command that serves; any thread.
#pragma once

#include "audit/audit_log.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class AuditedLog final : public Log {
 public:
  // Both outlive it.
  AuditedLog(Log& log, AuditLog& audit) : log_(log), audit_(audit) {}

  void write(Level level, std::string_view event, Fields fields) override;
  bool writes(Level level) const override { return log_.writes(level); }

 private:
  Log& log_;
  AuditLog& audit_;
};

}  // namespace mcph
