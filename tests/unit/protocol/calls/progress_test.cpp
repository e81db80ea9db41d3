#include "protocol/calls/progress.hpp"

#include <gtest/gtest.h>

#include "support/recording_exchange.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

class ProgressTest : public ::testing::Test {
 protected:
  // Of what the client heard.
  std::vector<double> values() const {
    std::vector<double> values;
    for (const auto& message : exchange_.notifications())
      values.push_back(Json::parse(message)["params"]["progress"].get<double>());
    return values;
  }
  void report(double progress) { progress_.report(progress, 0, "", exchange_, now_); }

  test::RecordingExchange exchange_;
  Progress progress_{Json{{"progressToken", "t"}}};
  Progress::Time now_ = Progress::Time() + 1h;
};

std::vector<double> numbers(int first, int last) {
  std::vector<double> numbers;
  for (int number = first; number <= last; ++number)
    numbers.push_back(number);
  return numbers;
}

TEST_F(ProgressTest, IsToldAtOnceForTheFirstTwenty) {
  for (int step = 1; step <= 20; ++step)
    report(step);
  EXPECT_EQ(values(), numbers(1, 20));
}

TEST_F(ProgressTest, IsWithheldWhereItComesTooFast) {
  for (int step = 1; step <= 1000; ++step)
    report(step);
  EXPECT_EQ(values(), numbers(1, 20));
}

TEST_F(ProgressTest, IsToldTwentyTimesASecondInTheLongRun) {
  for (int step = 1; step <= 1000; ++step) {
    report(step);
    now_ += 10ms;
  }
  // In ten seconds.
  EXPECT_GE(values().size(), 200U);
  EXPECT_LE(values().size(), 220U);
}

TEST_F(ProgressTest, IsToldWhereItComesAsOftenAsItMay) {
  for (int step = 1; step <= 100; ++step) {
    report(step);
    now_ += 50ms;
  }
  EXPECT_EQ(values(), numbers(1, 100));
}

TEST_F(ProgressTest, EndsWithTheLastThatWasWithheld) {
  for (int step = 1; step <= 30; ++step)
    report(step);
  progress_.finish(exchange_);
  EXPECT_EQ(values().back(), 30);
  EXPECT_EQ(values().size(), 21U);
  progress_.finish(exchange_);
  EXPECT_EQ(values().size(), 21U);
}

TEST_F(ProgressTest, RepeatsNothingAtTheEnd) {
  report(1);
  progress_.finish(exchange_);
  EXPECT_EQ(values(), numbers(1, 1));
}

TEST_F(ProgressTest, ForgetsWhatWasWithheldOnceMoreIsTold) {
  for (int step = 1; step <= 30; ++step)
    report(step);
  now_ += 1s;
  report(31);
  progress_.finish(exchange_);
  auto expected = numbers(1, 20);
  expected.push_back(31);
  EXPECT_EQ(values(), expected);
}

TEST_F(ProgressTest, IsNotToldAfterTheReply) {
  for (int step = 1; step <= 30; ++step)
    report(step);
  exchange_.reply({"done"});
  progress_.finish(exchange_);
  now_ += 1s;
  report(31);
  EXPECT_EQ(values(), numbers(1, 20));
}

TEST_F(ProgressTest, DoesNotMindAClockThatStandsStillOrGoesBack) {
  report(1);
  now_ -= 1min;
  report(2);
  EXPECT_EQ(values(), numbers(1, 2));
}

}  // namespace
}  // namespace mcph
