// Takes payments by x402, version 2: asks the facilitator of a price whether a payment is good, and to take the money.
// A payment that is in use, or has been used, is refused without asking. Made by the command that serves, before the
// servers; any thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "http/client/http_caller.hpp"
#include "payments/used_payments.hpp"
#include "protocol/calls/payments.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class X402Payments final : public Payments {
 public:
  using Now = std::function<std::chrono::system_clock::time_point()>;

  // The caller and the log outlive it.
  X402Payments(HttpCaller& caller, Log& log, Now now = std::chrono::system_clock::now)
      : caller_(caller), money_log_(log), log_(log, max_lines_of_clients), now_(std::move(now)) {}

  void verify(std::shared_ptr<const Price> price, std::string tool, Json payment,
              std::function<void(Verified)> done) override;

 private:
  class Reserved;

  // To the facilitator, with what it answers as a JSON object.
  void ask(const Price& price, const char* path, std::string body, std::chrono::milliseconds patience,
           std::function<void(Result<Json>)> done);
  std::chrono::system_clock::time_point end_of(const Json& payment, const Json& accepted) const;

  HttpCaller& caller_;
  Log& money_log_;      // of what has been taken: every line
  RateLimitedLog log_;  // of what clients cause
  const Now now_;
  const std::shared_ptr<UsedPayments> used_ = std::make_shared<UsedPayments>();
};

}  // namespace mcph
