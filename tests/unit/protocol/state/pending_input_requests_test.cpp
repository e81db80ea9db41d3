#include "protocol/state/pending_input_requests.hpp"

#include <memory>
#include <new>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "protocol/calls/input_requests.hpp"
#include "support/eventually.hpp"
#include "support/json_value.hpp"
#include "support/recording_exchange.hpp"

namespace mcph {
namespace {

const OrderedJson roots = {{"method", "roots/list"}, {"params", OrderedJson::object()}};

Message response(const std::string& id, const Json& answer, bool is_error = false) {
  Message message{.kind = Message::Kind::response,
                  .id = id,
                  .method_name = {},
                  .method = {},
                  .params = {},
                  .answer = test::json_value(answer)};
  message.is_error = is_error;
  return message;
}

class PendingInputRequestsTest : public ::testing::Test {
 protected:
  void ask(const OrderedJson& requests, std::chrono::milliseconds patience = std::chrono::hours(1)) {
    input_requests_->ask(requests, exchange_, timers_, patience, {}, [this](PendingInputRequests::Answers answers) {
      const std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answers));
    });
  }
  std::vector<PendingInputRequests::Answers> answers() {
    const std::lock_guard lock(mutex_);
    return answers_;
  }
  std::string failure() {
    return answers().empty() ? "(no end)" : std::get<PendingInputRequests::NoAnswers>(answers().front()).why;
  }

  std::mutex mutex_;
  std::vector<PendingInputRequests::Answers> answers_;
  Timers timers_;
  const std::shared_ptr<test::RecordingExchange> exchange_ = std::make_shared<test::RecordingExchange>();
  const std::shared_ptr<PendingInputRequests> input_requests_ = std::make_shared<PendingInputRequests>();
};

const Json no_roots = {{"roots", Json::array()}};

TEST_F(PendingInputRequestsTest, AreRequestsOnTheStreamOfTheCall) {
  ask({{"a", roots}, {"b", roots}});
  EXPECT_EQ(exchange_->notifications(),
            (std::vector<std::string>{R"({"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}})",
                                      R"({"jsonrpc":"2.0","id":2,"method":"roots/list","params":{}})"}));
  EXPECT_TRUE(input_requests_->any());
}

TEST_F(PendingInputRequestsTest, TakeNoAnswerOfMoreValuesThanThereMayBe) {
  ask({{"a", roots}});
  input_requests_->take(response("1", {{"roots", Json::array()}, {"x", std::vector<int>(max_answer_values)}}));
  EXPECT_EQ(failure(), "The client's answer to roots/list has more than 20000 values");
}

TEST_F(PendingInputRequestsTest, ShowTheFieldsOfAFormInTheirOrder) {
  constexpr auto params =
      R"({"message":"Whom?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},)"
      R"("age":{"type":"integer"}}}})";
  ask({{"a", {{"method", "elicitation/create"}, {"params", OrderedJson::parse(params)}}}});
  EXPECT_EQ(exchange_->notifications().front(),
            R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":)" + std::string(params) + "}");
}

// To whom nothing can be sent.
class ExchangeWithoutMemory final : public Exchange {
  void send(std::string) override { throw std::bad_alloc(); }
  void send_if_room(std::string) override {}
  void finish(Reply) override {}
};

TEST_F(PendingInputRequestsTest, EndAtOnceWhereThereIsNoMemoryToSendThem) {
  std::string why;
  input_requests_->ask({{"a", roots}, {"b", roots}}, std::make_shared<ExchangeWithoutMemory>(), timers_,
                       std::chrono::hours(1), {}, [&](const PendingInputRequests::Answers& answers) {
                         why = std::get<PendingInputRequests::NoAnswers>(answers).why;
                       });
  EXPECT_EQ(why, "The server has no memory left to ask the client");
  EXPECT_FALSE(input_requests_->any());
  input_requests_->take(response("1", no_roots));
}

TEST_F(PendingInputRequestsTest, EndWhenAllAreAnswered) {
  ask({{"a", roots}, {"b", roots}});
  input_requests_->take(response("2", {{"roots", {{{"uri", "file:///b"}}}}}));
  EXPECT_TRUE(answers().empty());
  input_requests_->take(response("1", no_roots));
  ASSERT_EQ(answers().size(), 1U);
  EXPECT_EQ(std::get<Json>(answers()[0]), (Json{{"a", no_roots}, {"b", {{"roots", {{{"uri", "file:///b"}}}}}}}));
  EXPECT_FALSE(input_requests_->any());
}

TEST_F(PendingInputRequestsTest, TakeEachAnswerOnce) {
  ask({{"a", roots}, {"b", roots}});
  input_requests_->take(response("1", no_roots));
  input_requests_->take(response("1", no_roots));
  input_requests_->take(response("77", no_roots));
  input_requests_->take(response(R"("1")", no_roots));
  EXPECT_TRUE(answers().empty());
}

TEST_F(PendingInputRequestsTest, EndWithTheClientsRefusalAndTakeTheOthersBack) {
  ask({{"a", roots}, {"b", roots}});
  input_requests_->take(response("1", {{"code", -32000}, {"message", "Not now"}}, true));
  EXPECT_EQ(failure(), "The client refused roots/list: Not now");
  const auto none = std::get<PendingInputRequests::NoAnswers>(answers().front());
  EXPECT_EQ(none.code, -32000);
  EXPECT_EQ(none.message, "Not now");
  EXPECT_EQ(exchange_->notifications().back(),
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  input_requests_->take(response("2", no_roots));
  EXPECT_EQ(answers().size(), 1U);
}

TEST_F(PendingInputRequestsTest, AreTakenBackWithTheAnswersThatThereAre) {
  const OrderedJson requests = {{"a", roots}, {"b", roots}};
  const auto number =
      input_requests_->ask(requests, exchange_, timers_, std::chrono::hours(1), {},
                           [this](const PendingInputRequests::Answers& answers) { answers_.push_back(answers); });
  input_requests_->take(response("1", no_roots));
  input_requests_->withdraw(number);
  ASSERT_EQ(answers().size(), 1U);
  EXPECT_EQ(std::get<Json>(answers()[0]), (Json{{"a", no_roots}}));
  EXPECT_EQ(exchange_->notifications().back(),
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  input_requests_->withdraw(number);
  EXPECT_EQ(answers().size(), 1U);
}

TEST_F(PendingInputRequestsTest, EndWithWhatIsWrongWithAnAnswer) {
  ask({{"a", roots}});
  input_requests_->take(response("1", {{"roots", 7}}));
  EXPECT_EQ(failure(), "The client answered roots/list with something invalid: \"roots\" is not an array");
}

TEST_F(PendingInputRequestsTest, EndWhenAnAnswerCannotBeTaken) {
  ask({{"a", roots}, {"b", roots}});
  input_requests_->refuse_answer("77", "is too long");
  EXPECT_TRUE(answers().empty());
  input_requests_->refuse_answer("1", "is too long");
  EXPECT_EQ(failure(), "The client's answer to roots/list is too long");
  EXPECT_EQ(exchange_->notifications().back(),
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  EXPECT_FALSE(input_requests_->any());
  input_requests_->refuse_answer("1", "is too long");
  EXPECT_EQ(answers().size(), 1U);
}

TEST_F(PendingInputRequestsTest, EndWhenTheClientTakesTooLong) {
  ask({{"a", roots}}, std::chrono::milliseconds(900));
  ASSERT_TRUE(test::eventually([&] { return !answers().empty(); }));
  EXPECT_EQ(failure(), "The client did not answer roots/list within 0 s");
  EXPECT_EQ(exchange_->notifications().back(),
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
}

TEST_F(PendingInputRequestsTest, AreForgottenWhenTheClientAbandonsTheCall) {
  ask({{"a", roots}});
  exchange_->abandon();
  EXPECT_FALSE(input_requests_->any());
  input_requests_->take(response("1", no_roots));
  EXPECT_TRUE(answers().empty());
}

TEST_F(PendingInputRequestsTest, AreNotAskedWhenTheCallHasBeenAbandonedBefore) {
  exchange_->abandon();
  ask({{"a", roots}});
  EXPECT_FALSE(input_requests_->any());
  EXPECT_TRUE(exchange_->notifications().empty());
}

TEST_F(PendingInputRequestsTest, EndWithTheSession) {
  ask({{"a", roots}});
  input_requests_->end("The session has ended");
  EXPECT_EQ(failure(), "The session has ended");
  ask({{"a", roots}});
  ASSERT_EQ(answers().size(), 2U);
  EXPECT_EQ(std::get<PendingInputRequests::NoAnswers>(answers()[1]).why, "The session has ended");
}

TEST_F(PendingInputRequestsTest, AreBounded) {
  for (std::size_t i = 0; i < PendingInputRequests::max_open; ++i)
    ask({{"a", roots}});
  EXPECT_TRUE(answers().empty());
  ask({{"a", roots}});
  EXPECT_EQ(failure(),
            "This client has 256 requests to answer, of at most 256, and this call asks 1 more; try again when it has "
            "answered some");
}

}  // namespace
}  // namespace mcph
