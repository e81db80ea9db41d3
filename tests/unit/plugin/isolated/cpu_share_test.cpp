#include "plugin/isolated/cpu_share.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::chrono_literals;

constexpr unsigned quarter_of_a_processor = 25;
constexpr auto nothing = CpuBudget::Duration(0);

class CpuBudgetTest : public ::testing::Test {
 protected:
  CpuBudget::Duration after(std::chrono::milliseconds time, std::chrono::milliseconds used) {
    now_ += time;
    used_ += used;
    return budget_.throttle_time(now_, used_);
  }

  CpuBudget::Clock::time_point now_{};
  CpuBudget::Duration used_{0};
  CpuBudget budget_{quarter_of_a_processor, now_, used_};
};

TEST_F(CpuBudgetTest, LetsThroughWhatKeepsToItsShare) {
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(after(20ms, 5ms), nothing);
}

TEST_F(CpuBudgetTest, RestsUntilTheShareHasCaughtUp) {
  EXPECT_EQ(after(20ms, 20ms), nothing);  // what it has saved
  EXPECT_EQ(after(20ms, 20ms), 20ms);     // 5 ms too much
  EXPECT_EQ(after(20ms, 0ms), nothing);
}

TEST_F(CpuBudgetTest, CountsAllThreadsTogether) {
  EXPECT_EQ(after(20ms, 80ms), 200ms);
  EXPECT_EQ(after(100ms, 0ms), 100ms);
}

TEST_F(CpuBudgetTest, ForgivesWhatWouldTakeLongerThanASecond) {
  EXPECT_EQ(after(20ms, 10s), 1s);
  EXPECT_EQ(after(1s, 0ms), nothing);
}

TEST_F(CpuBudgetTest, SavesLittleForLater) {
  EXPECT_EQ(after(1h, 0ms), nothing);
  EXPECT_EQ(after(20ms, 35ms), 20ms);  // 25 ms saved, 5 ms earned
}

}  // namespace
}  // namespace mcph
