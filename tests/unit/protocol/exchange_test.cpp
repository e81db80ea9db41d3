#include "protocol/exchange.hpp"

#include <memory>
#include <thread>

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
    exchange.keep({place});
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
