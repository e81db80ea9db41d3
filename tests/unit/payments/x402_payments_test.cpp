#include "payments/x402_payments.hpp"

#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "support/recording_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// What has been asked of the facilitator, and waits for its answer.
class AskedFacilitator final : public HttpCaller {
 public:
  void send(HttpCall call, std::function<void(Result<HttpAnswer>)> done) override {
    asked.push_back(std::move(call));
    waiting.push_back(std::move(done));
  }
  void answer(const Result<HttpAnswer>& answer) {
    for (const auto& done : std::exchange(waiting, {}))
      done(answer);
  }

  std::vector<HttpCall> asked;
  std::vector<std::function<void(Result<HttpAnswer>)>> waiting;
};

Error crowded_error() {
  auto error = fail_for_now("no connection to it was free");
  error.code = ErrorCode::crowded;
  return error;
}

// A transaction of Solana, in Base64: one signature, and a message without accounts and instructions.
std::string solana_transaction(char signature = 's', const std::string& behind = {}) {
  return base64_encode("\1" + std::string(64, signature) + "\1\0\1\0"s + std::string(32, 'b') + "\0"s + behind);
}

class X402PaymentsTest : public ::testing::Test {
 protected:
  // Null: it is refused, and refusal_ says why.
  std::shared_ptr<Payment> verify(const Json& payload, const char* network = "eip155:1") {
    const Json way = {{"scheme", "exact"}, {"network", network}, {"amount", "1"},
                      {"asset", "0xA"},    {"payTo", "0xB"},     {"maxTimeoutSeconds", 10}};
    const Price price{"https://facilitator.example", "[" + way.dump() + "]"};
    std::shared_ptr<Payment> good;
    refusal_.clear();
    payments_.verify(std::make_shared<const Price>(price), "draw",
                     {{"x402Version", 2}, {"accepted", way}, {"payload", payload}}, [&](Payments::Verified verified) {
                       if (verified.has_error()) {
                         refusal_ = verified.error().why;
                       } else {
                         good = *std::move(verified);
                       }
                     });
    verifying_.answer(HttpAnswer{200, R"({"isValid":true})"});
    return good;
  }
  std::shared_ptr<Payment> verify_transaction(const std::string& transaction) {
    return verify({{"transaction", transaction}}, "solana:main");
  }
  static Json transfer(const Json& more = Json::object()) {
    Json authorization = {{"from", "0x1"}, {"nonce", "0x2"}};
    authorization.update(more);
    return {{"authorization", authorization}};
  }

  Settlement settle(Payment& payment, const Result<HttpAnswer>& answer) {
    Settlement settled;
    payment.settle([&](Settlement settlement) { settled = std::move(settlement); });
    settling_.answer(answer);
    return settled;
  }

  UsedPayments::Time now_{1'000'000s};
  std::string refusal_;
  AskedFacilitator verifying_;
  AskedFacilitator settling_;
  test::RecordingLog log_;
  X402Payments payments_{verifying_, settling_, log_, [this] { return now_; }};
};

const HttpAnswer settled_answer{200, R"({"success":true,"transaction":"0x1"})"};

TEST_F(X402PaymentsTest, ATransactionOfSolanaIsGoodOnceHoweverItIsWritten) {
  const auto payment = verify_transaction(solana_transaction());
  ASSERT_NE(payment, nullptr) << refusal_;
  EXPECT_EQ(verify_transaction(solana_transaction('t')), nullptr) << "with another signature";
  EXPECT_THAT(refusal_, HasSubstr("in use by another call"));
  for (const auto& behind : {"\0"s, "x"s, std::string(64, 's')}) {
    EXPECT_EQ(verify_transaction(solana_transaction('s', behind)), nullptr);
    EXPECT_THAT(refusal_, EndsWith("nothing by which this network tells one payment from another"));
  }
  EXPECT_EQ(verifying_.asked.size(), 1U);
}

TEST_F(X402PaymentsTest, IsKeptUntilItsNetworkCannotTakeItAsIfItWereAnotherOne) {
  const auto payment = verify_transaction(solana_transaction());
  ASSERT_NE(payment, nullptr) << refusal_;
  now_ += 100s;  // for which the call takes
  EXPECT_EQ(settle(*payment, settled_answer).error, "");
  now_ += 120s;
  EXPECT_EQ(verify_transaction(solana_transaction()), nullptr);
  now_ += 1s;
  EXPECT_NE(verify_transaction(solana_transaction()), nullptr) << refusal_;
}

TEST_F(X402PaymentsTest, IsKeptAsLongAsWhatIsSignedSays) {
  const auto in_an_hour = std::to_string(1'000'000 + 3600);
  const Json permit = {{"from", "0x1"}, {"nonce", "1"}, {"deadline", in_an_hour}, {"validBefore", "1"}};
  const std::vector<std::pair<Json, bool>> payloads = {
      {transfer({{"nonce", "0x1"}, {"validBefore", "1"}}), false},
      {transfer({{"nonce", "0x2"}, {"validBefore", in_an_hour}, {"deadline", "1"}}), true},
      {Json({{"permit2Authorization", permit}}), true},
      // What others read in their way.
      {transfer({{"nonce", "0x3"}, {"validBefore", " 1"}}), true},
      {transfer({{"nonce", "0x4"}, {"validBefore", "0x1"}}), true},
      {transfer({{"nonce", "0x5"}, {"validBefore", 1}}), true},
  };
  for (const auto& [payload, is_kept] : payloads) {
    now_ = UsedPayments::Time(1'000'000s);
    const auto payment = verify(payload);
    ASSERT_NE(payment, nullptr) << refusal_;
    EXPECT_EQ(settle(*payment, settled_answer).error, "");
    now_ += 3600s;
    EXPECT_EQ(verify(payload) == nullptr, is_kept) << payload;
  }
}

TEST_F(X402PaymentsTest, WhatWasNotAskedForChargesNothingAndStaysGood) {
  const auto payment = verify(transfer());
  ASSERT_NE(payment, nullptr) << refusal_;
  const auto settlement = settle(*payment, crowded_error());
  EXPECT_THAT(settlement.error, HasSubstr("Nothing was charged"));
  EXPECT_EQ(settlement.response["success"], false);
  const auto again = verify(transfer());
  ASSERT_NE(again, nullptr) << refusal_;
  EXPECT_EQ(settle(*again, settled_answer).error, "");
  EXPECT_EQ(verify(transfer()), nullptr);
}

TEST_F(X402PaymentsTest, NobodyElseUsesWhatSettles) {
  const auto payment = verify(transfer());
  ASSERT_NE(payment, nullptr) << refusal_;
  EXPECT_EQ(settling_.asked.size(), 0U);
  settle(*payment, settled_answer);
  EXPECT_EQ(verifying_.asked.size(), 1U);
  ASSERT_EQ(settling_.asked.size(), 1U);
  EXPECT_EQ(settling_.asked[0].url.target, "/settle");
}

TEST_F(X402PaymentsTest, AnAnswerThatSaysNeitherLeavesItOpenWhetherTheMoneyWasTaken) {
  const Result<HttpAnswer> answers[] = {HttpAnswer{504, R"({"message":"upstream timed out"})"},
                                        HttpAnswer{200, R"({"success":"false"})"}, HttpAnswer{200, "no JSON"},
                                        fail_for_now("it closed the connection")};
  for (std::size_t i = 0; i < std::size(answers); ++i) {
    const auto payload = transfer({{"nonce", "0x" + std::to_string(i)}});
    const auto payment = verify(payload);
    ASSERT_NE(payment, nullptr) << refusal_;
    EXPECT_THAT(settle(*payment, answers[i]).error, HasSubstr("may have taken it"));
    EXPECT_EQ(verify(payload), nullptr);
    EXPECT_EQ(log_.count("payment not known to be settled"), i + 1);
  }
}

TEST_F(X402PaymentsTest, AnAnswerThatItHasFailedIsToldAsThat) {
  const auto payment = verify(transfer());
  ASSERT_NE(payment, nullptr) << refusal_;
  EXPECT_EQ(settle(*payment, HttpAnswer{400, R"({"success":false,"errorReason":"insufficient_funds"})"}).error,
            "insufficient_funds");
  EXPECT_EQ(log_.count("payment not settled"), 1U);
}

TEST_F(X402PaymentsTest, LogsEachPaymentOfWhichNobodyKnows) {
  constexpr std::size_t many = 2 * max_lines_of_clients;
  for (std::size_t i = 0; i < many; ++i) {
    const auto payment = verify(transfer({{"nonce", "0x" + std::to_string(i)}}));
    ASSERT_NE(payment, nullptr) << refusal_;
    settle(*payment, fail_for_now("it closed the connection"));
  }
  EXPECT_EQ(log_.count("payment not known to be settled"), many);
}

}  // namespace
}  // namespace mcph
