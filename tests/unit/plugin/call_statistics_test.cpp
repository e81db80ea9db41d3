#include "plugin/call_statistics.hpp"

#include <string>

#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

microseconds only(std::chrono::nanoseconds took) {
  CallStatistics statistics;
  statistics.answered(took);
  return statistics.summary().p50;
}

TEST(CallStatistics, KnowsNothingBeforeTheFirstCall) {
  const auto summary = CallStatistics().summary();
  EXPECT_EQ(summary.calls, 0U);
  EXPECT_EQ(summary.errors, 0U);
  EXPECT_EQ(summary.p50, 0us);
  EXPECT_EQ(summary.p99, 0us);
  EXPECT_FALSE(summary.last_error);
}

TEST(CallStatistics, CountsCallsAndErrorsApart) {
  CallStatistics statistics;
  statistics.began();
  statistics.began();
  statistics.failed();
  EXPECT_EQ(statistics.summary().calls, 2U);
  EXPECT_EQ(statistics.summary().errors, 1U);
}

TEST(CallStatistics, KnowsShortTimesToTheMicrosecond) {
  for (int time = 0; time < 16; ++time)
    EXPECT_EQ(only(microseconds(time)), microseconds(time));
  EXPECT_EQ(only(999ns), 0us);
}

TEST(CallStatistics, NeverSaysLessAndAtMostAnEighthMore) {
  for (std::int64_t time = 1; time < std::int64_t{1} << 32; time = time * 21 / 20 + 1) {
    EXPECT_GE(only(microseconds(time)).count(), time);
    EXPECT_LE(only(microseconds(time)).count(), time + time / 8);
  }
}

TEST(CallStatistics, TellsWhatWentWrongLastAndWhen) {
  CallStatistics statistics;
  const std::chrono::system_clock::time_point at(951'782'400s);
  statistics.went_wrong(LastError{std::string(CallStatistics::max_error_bytes, 'x') + "y", at});
  EXPECT_EQ(statistics.summary().last_error->what, std::string(CallStatistics::max_error_bytes, 'x'));
  EXPECT_EQ(statistics.summary().last_error->at, at);
  statistics.went_wrong("later");
  EXPECT_EQ(statistics.summary().last_error->what, "later");
  EXPECT_GT(statistics.summary().last_error->at, at);
  statistics.went_wrong(LastError{"earlier, but known only now", at});
  EXPECT_EQ(statistics.summary().last_error->what, "later");
}

TEST(CallStatistics, TakesWhatNoClockShouldSay) {
  EXPECT_EQ(only(-1s), 0us);
  EXPECT_EQ(only(1000h), microseconds((std::int64_t{1} << 32) - 1));
}

TEST(CallStatistics, TellsWhatHalfOfTheCallsAndAllButOneInAHundredStayedWithin) {
  CallStatistics statistics;
  for (int call = 0; call < 980; ++call)
    statistics.answered(5us);
  for (int call = 0; call < 20; ++call)
    statistics.answered(8ms);
  const auto summary = statistics.summary();
  EXPECT_EQ(summary.p50, 5us);
  EXPECT_GE(summary.p99, 8ms);
  EXPECT_LE(summary.p99, 9ms);
}

TEST(CallStatistics, KeepsTheLastErrorWithItsTimeAndNoMoreOfItThanAThousandBytes) {
  CallStatistics statistics;
  const auto begin = std::chrono::system_clock::now();
  statistics.went_wrong("first");
  statistics.went_wrong(std::string(5000, 'x'));
  const auto summary = statistics.summary();
  ASSERT_TRUE(summary.last_error);
  EXPECT_EQ(summary.last_error->what, std::string(1000, 'x'));
  EXPECT_GE(summary.last_error->at, begin);
  EXPECT_EQ(summary.errors, 0U);
}

}  // namespace
}  // namespace mcph
