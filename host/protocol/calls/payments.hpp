// Payments for calls of tools that cost, as the calls see them: who takes them, and one that has been found to be good.
// The words between server and client are those of x402, version 2 (specs/transports-v2/mcp.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "catalog/component_settings.hpp"
#include "protocol/message.hpp"

namespace mcph {

// How it ended that a payment was to be taken.
struct Settlement {
  Json response;      // x402's SettlementResponse, for the client
  std::string error;  // why it was not taken, or not known to be; empty: it was
};

// A payment that is good, for one call alone. Gone without having been settled, it is good for another call.
class Payment {
 public:
  virtual ~Payment() = default;

  // Takes the money. Once, for a call that has succeeded. Calls `done` once, on any thread, unless the program ends
  // before. Whoever settles it keeps it until then.
  virtual void settle(std::function<void(Settlement)> done) = 0;
};

// Why a call does not begin.
struct PaymentRefusal {
  std::string why;
  bool may_pay = true;  // another payment would do
};

class Payments {
 public:
  using Verified = Result<std::shared_ptr<Payment>, PaymentRefusal>;

  virtual ~Payments() = default;

  // Whether `payment`, x402's PaymentPayload, pays for one call of the tool. Calls `done` once, here or on any thread,
  // unless the program ends before.
  virtual void verify(std::shared_ptr<const Price> price, std::string tool, Json payment,
                      std::function<void(Verified)> done) = 0;
};

// The result of a call that has not been paid: what it costs, for the client's wallet and as text. `settlement` is that
// of a payment that could not be taken; null: there was none.
Json payment_required(const Price& price, std::string_view tool, std::string_view why,
                      const Json& settlement = nullptr);

// The result of one that no payment would help.
Json payment_impossible(std::string_view why);

}  // namespace mcph
