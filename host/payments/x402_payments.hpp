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

  // The callers and the log outlive it. Nobody else uses the one that settles: what strangers make the other one ask
  // must not keep a settlement waiting.
  X402Payments(HttpCaller& verifying, HttpCaller& settling, Log& log, Now now = std::chrono::system_clock::now)
      : verifying_(verifying),
        settling_(settling),
        money_log_(log),
        log_(log, max_lines_of_clients),
        now_(std::move(now)) {}

  void verify(std::shared_ptr<const Price> price, std::string tool, Json payment,
              std::function<void(Verified)> done) override;

 private:
  class Reserved;

  // To the facilitator, with what it answers as a JSON object.
  void ask(HttpCaller& caller, const Price& price, const char* path, std::string body,
           std::chrono::milliseconds patience, std::function<void(Result<Json>)> done);
  // When a payment with this payload ceases to be valid, as far as that says it.
  UsedPayments::Time end_of(const Json& payload) const;

  HttpCaller& verifying_;
  HttpCaller& settling_;
  Log& money_log_;      // of what has been taken, or may have been: every line
  RateLimitedLog log_;  // of what clients cause
  const Now now_;
  const std::shared_ptr<UsedPayments> used_ = std::make_shared<UsedPayments>();
};

}  // namespace mcph
