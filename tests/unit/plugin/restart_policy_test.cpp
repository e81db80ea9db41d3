#include "plugin/restart_policy.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr std::chrono::milliseconds never{-1};

class RestartPolicyTest : public ::testing::Test {
 protected:
  std::chrono::milliseconds crash_after(std::chrono::milliseconds time) {
    now_ += time;
    return policy_.after_crash(now_).value_or(never);
  }
  std::vector<std::chrono::milliseconds> crashes(int count, std::chrono::milliseconds apart) {
    std::vector<std::chrono::milliseconds> delays;
    for (int i = 0; i < count; ++i)
      delays.push_back(crash_after(apart));
    return delays;
  }

  RestartPolicy::Clock::time_point now_;
  RestartPolicy policy_{{}};
};

TEST_F(RestartPolicyTest, RestartsAtOnceThenLaterAndLaterAndGivesUpAtTheFifthCrashOfAMinute) {
  EXPECT_THAT(crashes(5, 1s), ElementsAre(0ms, 100ms, 200ms, 400ms, never));
}

TEST_F(RestartPolicyTest, ForgetsCrashesThatAreLongPast) {
  EXPECT_THAT(crashes(4, 1s), ElementsAre(0ms, 100ms, 200ms, 400ms));
  EXPECT_EQ(crash_after(61s), 0ms);
  EXPECT_EQ(crash_after(1s), 100ms);
}

TEST_F(RestartPolicyTest, NeverGivesUpACrashNowAndThen) {
  for (const auto delay : crashes(100, 61s))
    EXPECT_EQ(delay, 0ms);
}

TEST_F(RestartPolicyTest, WaitsNoLongerThanItsLongestDelay) {
  policy_ = RestartPolicy({.crashes = 0});
  EXPECT_EQ(crashes(200, 1ms).back(), 30s);
}

TEST_F(RestartPolicyTest, WaitsLongerAndLongerAlsoWhereADelayIsLongerThanThePeriod) {
  policy_ = RestartPolicy({.crashes = 0, .period = 1s, .first_delay = 1s, .last_delay = 5s});
  std::vector<std::chrono::milliseconds> delays{crash_after(1s)};
  for (int i = 0; i < 5; ++i)
    delays.push_back(crash_after(delays.back() + 10ms));
  EXPECT_THAT(delays, ElementsAre(0ms, 1s, 2s, 4s, 5s, 5s));
  EXPECT_EQ(crash_after(delays.back() + 1s + 1ms), 0ms);
}

}  // namespace
}  // namespace mcph
