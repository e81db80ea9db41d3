#include "sources/folder/look_budget.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::chrono_literals;

class LookBudgetTest : public ::testing::Test {
 protected:
  // Looks as soon as it may, as when something changes all the time.
  void look(std::chrono::milliseconds took) {
    now_ = std::max(now_, budget_.due());
    budget_.spend(now_, took);
    now_ += took;
    looked_ += took;
  }

  const LookBudget::Clock::time_point begin_{24h};
  LookBudget::Clock::time_point now_ = begin_;
  LookBudget::Clock::duration looked_{0};
  LookBudget budget_;
};

TEST_F(LookBudgetTest, LetsTheFirstLookBeAtOnce) {
  EXPECT_LE(budget_.due(), begin_);
}

TEST_F(LookBudgetTest, LetsQuickLooksFollowEachOther) {
  for (int i = 0; i < 100; ++i)
    look(1ms);
  EXPECT_EQ(now_ - begin_, 100ms);
}

TEST_F(LookBudgetTest, KeepsLongLooksToATwentiethOfTheTime) {
  for (int i = 0; i < 100; ++i)
    look(60ms);
  EXPECT_EQ(looked_, 6s);
  EXPECT_GE(now_ - begin_, 20 * 5s);
}

TEST_F(LookBudgetTest, LetsALookThatTookVeryLongWaitForTwentyTimesAsLong) {
  look(3s);
  EXPECT_EQ(budget_.due() - begin_, 55s);  // less the five seconds that were saved
}

TEST_F(LookBudgetTest, PutsNoLookOffForLongerThanAMinute) {
  look(10min);
  EXPECT_EQ(budget_.due() - now_, 1min);
  look(1h);
  EXPECT_EQ(budget_.due() - now_, 1min);
}

TEST_F(LookBudgetTest, SavesNoMoreThanAFewSeconds) {
  now_ += 1h;
  for (int i = 0; i < 20; ++i)
    look(50ms);
  EXPECT_GE(now_ - begin_ - 1h, 14s);
}

}  // namespace
}  // namespace mcph
