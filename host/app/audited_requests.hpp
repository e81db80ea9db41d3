// What clients and operators have done, as lines of the audit log. Made by a command that serves, if there is an audit
// log, which outlives it; any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "admin/operator_answers.hpp"
#include "audit/audit_log.hpp"
#include "protocol/request_record.hpp"

namespace mcph {

class AuditedRequests final : public RequestRecords {
 public:
  explicit AuditedRequests(AuditLog& log) : log_(log) {}

  // Whether clients are asked now to prove who they are. Where they are, what is refused to those who have not has no
  // lines of its own, but is summed up. Before the first request; without it nobody is asked. It is called on any
  // thread, as long as requests come.
  void sum_up_where(std::function<bool()> asks_for_credentials) {
    asks_for_credentials_ = std::move(asks_for_credentials);
  }

  std::optional<std::string> refuses() const override { return log_.refuses(); }
  std::string arguments(std::string_view component, JsonValue arguments) const override;
  bool record_end(const RecordedRequest& request, const std::function<Then()>& wait) override;
  void session_ended(std::string_view session, const Caller& caller) override;

  // A request over HTTP that came to nothing, with this status, before the protocol saw it.
  void refused(std::string_view source, const Principal& principal, unsigned status);
  void operator_has(const OperatorAct& act);

 private:
  AuditLog& log_;
  std::function<bool()> asks_for_credentials_ = [] { return false; };
};

}  // namespace mcph
