#include "protocol/exchange.hpp"

#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "support/recording_exchange.hpp"

namespace mcph {
namespace {

class ExchangeTest : public ::testing::Test {
 protected:
  std::function<void()> counter() {
    return [this] { ++heard_; };
  }

  test::RecordingExchange exchange_;
  int heard_ = 0;
};

TEST_F(ExchangeTest, SendsNotificationsAndThenOneReply) {
  exchange_.notify("1");
  exchange_.notify("2");
  EXPECT_TRUE(exchange_.replies().empty());
  exchange_.reply({"done"});
  EXPECT_EQ(exchange_.notifications(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(exchange_.body(), "done");
}

TEST_F(ExchangeTest, KeepsTheFirstReplyOnly) {
  exchange_.reply({"first"});
  exchange_.reply({"second"});
  ASSERT_EQ(exchange_.replies().size(), 1U);
  EXPECT_EQ(exchange_.body(), "first");
}

TEST_F(ExchangeTest, SendsNothingAfterItsReply) {
  exchange_.reply({"done"});
  exchange_.notify("late");
  EXPECT_TRUE(exchange_.notifications().empty());
}

TEST_F(ExchangeTest, HasOneReplyWhenManyAnswerAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int j = 0; j < 100; ++j)
        exchange_.notify("n");
      exchange_.reply({"r"});
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(exchange_.replies().size(), 1U);
}

// What it is told, and how many replies the client has had by then.
struct ToldEnds final : CallObserver {
  void ended(const CallEnd& end) override {
    outcomes.push_back(end.outcome);
    code = end.error_code;
    component = end.call.component;
    is_served = end.call.is_served;
    replies = exchange.replies().size();
  }
  test::RecordingExchange exchange;
  std::vector<CallEnd::Outcome> outcomes;
  int code = 0;
  std::string component;
  bool is_served = false;
  std::size_t replies = 0;
};

CallEnd::Outcome outcome_told(const std::function<void(Exchange&)>& end) {
  ToldEnds told;
  told.exchange.observe(told, {.id = "7", .method = Method::tools_call, .component = "add"});
  end(told.exchange);
  told.exchange.reply({"late"});
  told.exchange.abandon();
  EXPECT_EQ(told.outcomes.size(), 1U);
  EXPECT_EQ(told.component, "add");
  EXPECT_EQ(told.replies, 0U) << "before the answer leaves";
  return told.outcomes.at(0);
}

TEST_F(ExchangeTest, TellsItsObserverOnceHowItEnds) {
  using Outcome = CallEnd::Outcome;
  EXPECT_EQ(outcome_told([](auto& exchange) { exchange.reply({"done"}); }), Outcome::result);
  EXPECT_EQ(outcome_told([](auto& exchange) { exchange.reply({.body = "no", .error_code = -32603}); }), Outcome::error);
  EXPECT_EQ(outcome_told([](auto& exchange) { exchange.reply({.body = "no", .is_tool_error = true}); }),
            Outcome::tool_error);
  EXPECT_EQ(outcome_told([](auto& exchange) { exchange.abandon(); }), Outcome::abandoned);
  EXPECT_EQ(outcome_told([](auto& exchange) { exchange.reply({}); }), Outcome::abandoned) << "its client has gone";
}

TEST_F(ExchangeTest, IsAnsweredThoughItsObserverFindsNoMemory) {
  struct ForgetfulObserver final : CallObserver {
    void ended(const CallEnd&) override { throw std::bad_alloc(); }
  };
  ForgetfulObserver observer;
  exchange_.observe(observer, {.id = "7", .method = Method::tools_call, .component = "add"});
  exchange_.reply({"done"});
  EXPECT_EQ(exchange_.body(), "done");
}

// Has memory for the second reply only.
class ShortOfMemory final : public Exchange {
 public:
  std::string body;

 private:
  void send(std::string) override {}
  void send_if_room(std::string) override {}
  void finish(Reply reply) override {
    if (std::exchange(is_short_, false)) throw std::bad_alloc();
    body = std::move(reply.body);
  }

  bool is_short_ = true;
};

TEST_F(ExchangeTest, TakesAnotherReplyWhereThereIsNoMemoryForTheFirst) {
  ShortOfMemory exchange;
  EXPECT_THROW(exchange.reply({"long"}), std::bad_alloc);
  exchange.reply({"short"});
  EXPECT_EQ(exchange.body, "short");
  exchange.reply({"late"});
  EXPECT_EQ(exchange.body, "short");
}

TEST_F(ExchangeTest, TellsItsObserverWhatIsKnownByThen) {
  ToldEnds told;
  told.exchange.note_served("sums");
  told.exchange.observe(told, {.id = "7", .method = Method::tools_call, .component = "add"});
  EXPECT_EQ(told.exchange.span(), nullptr);
  told.exchange.note_served("sums");
  told.exchange.reply({"done"});
  EXPECT_TRUE(told.is_served);
}

TEST_F(ExchangeTest, EndsWithoutABodyWhenAbandoned) {
  exchange_.abandon();
  EXPECT_EQ(exchange_.body(), "");
  EXPECT_EQ(exchange_.status(), ReplyStatus::accepted);
  exchange_.reply({"late"});
  EXPECT_EQ(exchange_.replies().size(), 1U);
}

TEST_F(ExchangeTest, CancelsTheWorkWhenAbandoned) {
  exchange_.on_abandon(counter());
  exchange_.abandon();
  EXPECT_EQ(heard_, 1);
}

TEST_F(ExchangeTest, CancelsWorkThatBeginsAfterItWasAbandoned) {
  exchange_.abandon();
  exchange_.on_abandon(counter());
  EXPECT_EQ(heard_, 1);
}

TEST_F(ExchangeTest, CancelsOnceOnly) {
  exchange_.on_abandon(counter());
  exchange_.abandon();
  exchange_.abandon();
  EXPECT_EQ(heard_, 1);
}

TEST_F(ExchangeTest, CancelsNothingOnceItIsReplied) {
  exchange_.on_abandon(counter());
  exchange_.reply({"done"});
  exchange_.abandon();
  EXPECT_EQ(heard_, 0);
}

TEST_F(ExchangeTest, KeepsPlacesUntilItEnds) {
  for (const bool abandoned : {false, true}) {
    test::RecordingExchange exchange;
    const auto place = std::make_shared<const int>();
    exchange.hold_places({place});
    EXPECT_EQ(place.use_count(), 2);
    if (abandoned) {
      exchange.abandon();
    } else {
      exchange.reply({"done"});
    }
    EXPECT_EQ(place.use_count(), 1);
  }
}

TEST_F(ExchangeTest, LetsGoOfTheWorkWhenItEnds) {
  for (const bool abandoned : {false, true}) {
    test::RecordingExchange exchange;
    auto work = std::make_shared<int>();
    const std::weak_ptr<int> trace = work;
    exchange.on_abandon([work = std::move(work)] {});
    EXPECT_FALSE(trace.expired());
    abandoned ? exchange.abandon() : exchange.reply({"done"});
    EXPECT_TRUE(trace.expired());
  }
}

}  // namespace
}  // namespace mcph
