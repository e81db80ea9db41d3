#include "protocol/exchange.hpp"

#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "../recording_exchange.hpp"

namespace mcph {
namespace {

class ExchangeTest : public ::testing::Test {
 protected:
  std::function<void(CancelReason)> recorder() {
    return [this](CancelReason reason) { heard_.push_back(reason); };
  }

  test::RecordingExchange exchange_;
  std::vector<CancelReason> heard_;
};

TEST_F(ExchangeTest, SendsNotificationsAndThenOneReply) {
  exchange_.notify("1");
  exchange_.notify("2");
  EXPECT_FALSE(exchange_.ended());
  exchange_.reply({"done", 200});
  EXPECT_TRUE(exchange_.ended());
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

TEST_F(ExchangeTest, EndsWithoutABodyWhenAbandoned) {
  exchange_.abandon();
  EXPECT_TRUE(exchange_.ended());
  EXPECT_EQ(exchange_.body(), "");
  EXPECT_EQ(exchange_.status(), 202U);
  exchange_.reply({"late"});
  EXPECT_EQ(exchange_.replies().size(), 1U);
}

TEST_F(ExchangeTest, CancelsTheWorkWhenAbandoned) {
  exchange_.on_cancel(recorder());
  exchange_.abandon();
  EXPECT_EQ(heard_, std::vector{CancelReason::client});
}

TEST_F(ExchangeTest, CancelsWorkThatBeginsAfterItWasAbandoned) {
  exchange_.abandon();
  exchange_.on_cancel(recorder());
  EXPECT_EQ(heard_, std::vector{CancelReason::client});
}

TEST_F(ExchangeTest, IsStillRepliedToWhenCancelled) {
  exchange_.on_cancel(recorder());
  exchange_.cancel(CancelReason::shutdown);
  EXPECT_EQ(heard_, std::vector{CancelReason::shutdown});
  EXPECT_FALSE(exchange_.ended());
  exchange_.reply({"stopped early"});
  EXPECT_EQ(exchange_.body(), "stopped early");
}

TEST_F(ExchangeTest, CancelsOnceOnly) {
  exchange_.on_cancel(recorder());
  exchange_.cancel(CancelReason::deadline);
  exchange_.cancel(CancelReason::shutdown);
  EXPECT_EQ(heard_, std::vector{CancelReason::deadline});
}

TEST_F(ExchangeTest, CancelsWorkThatBeginsAfterTheCancellation) {
  exchange_.cancel(CancelReason::shutdown);
  exchange_.on_cancel(recorder());
  EXPECT_EQ(heard_, std::vector{CancelReason::shutdown});
}

TEST_F(ExchangeTest, CancelsNothingOnceItIsReplied) {
  exchange_.on_cancel(recorder());
  exchange_.reply({"done"});
  exchange_.abandon();
  exchange_.cancel(CancelReason::client);
  EXPECT_TRUE(heard_.empty());
}

TEST_F(ExchangeTest, LetsGoOfTheWorkWhenItEnds) {
  for (const bool abandoned : {false, true}) {
    test::RecordingExchange exchange;
    auto work = std::make_shared<int>();
    const std::weak_ptr<int> trace = work;
    exchange.on_cancel([work = std::move(work)](CancelReason) {});
    EXPECT_FALSE(trace.expired());
    abandoned ? exchange.abandon() : exchange.reply({"done"});
    EXPECT_TRUE(trace.expired());
  }
}

TEST_F(ExchangeTest, LetsTheWorkReplyWhileItIsCancelled) {
  exchange_.on_cancel([this](CancelReason) { exchange_.reply({"stopped"}); });
  exchange_.cancel(CancelReason::deadline);
  EXPECT_EQ(exchange_.body(), "stopped");
}

}  // namespace
}  // namespace mcph
