// The audit log of a command that serves, with all that writes to it; or none of it. Outlives whatever else the command
// makes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/audited_log.hpp"
#include "app/audited_requests.hpp"
#include "audit/audit_log.hpp"
#include "config/config.hpp"

namespace mcph {

class Audit {
 public:
  // Without [audit] nothing is written but the log, which outlives it.
  static Result<Audit> open(const Config& config, Log& log) {
    Audit audit(log);
    if (config.audit.file.empty()) return audit;
    auto opened = AuditLog::open(config.audit, host_version, log);
    if (opened.has_error()) return opened.error();
    audit.audit_ = *std::move(opened);
    audit.audited_log_ = std::make_unique<AuditedLog>(log, *audit.audit_);
    audit.requests_ = std::make_unique<AuditedRequests>(*audit.audit_);
    return audit;
  }

  // What the host says of itself.
  Log& log() { return audited_log_ != nullptr ? *audited_log_ : *log_; }
  // Null: nobody keeps records.
  AuditedRequests* requests() { return requests_.get(); }

  // Nothing that is to be recorded is done at this time. Empty: it is.
  std::optional<NotReady> not_ready() const {
    if (requests_ == nullptr || !requests_->refuses()) return std::nullopt;
    return NotReady{"the audit log cannot be written"};
  }

  // Before the process may end.
  void close() {
    if (audit_ != nullptr) audit_->close();
  }

  // What an operator has told the host to do, and what came of it.
  void operator_has(const OperatorAct& act) {
    if (requests_ != nullptr) requests_->operator_has(act);
  }

 private:
  explicit Audit(Log& log) : log_(&log) {}

  Log* log_;
  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<AuditedLog> audited_log_;
  std::unique_ptr<AuditedRequests> requests_;
};

}  // namespace mcph
