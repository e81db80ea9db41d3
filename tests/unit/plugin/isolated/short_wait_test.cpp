#include "plugin/isolated/short_wait.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::chrono_literals;

class ShortWaitTest : public ::testing::Test {
 protected:
  // Looks for something that comes after that time; a look takes 10 us. How often it looked.
  int looks_for(std::chrono::microseconds time) {
    const auto there = now_ + time;
    if (!wait_.begin(now_)) return 0;
    for (int looks = 1;; ++looks) {
      now_ += 10us;
      if (now_ >= there || !wait_.goes_on(now_)) return looks;
    }
  }

  ShortWait::Clock::time_point now_{};
  ShortWait wait_;
};

TEST_F(ShortWaitTest, EndsWithWhatItLooksFor) {
  EXPECT_EQ(looks_for(0us), 1);
  EXPECT_EQ(looks_for(30us), 3);
  EXPECT_EQ(looks_for(30us), 3) << "and is worth it each time";
}

TEST_F(ShortWaitTest, EndsWhenItTakesTooLong) {
  EXPECT_EQ(looks_for(1h), 5);
}

TEST_F(ShortWaitTest, BeginsAgainWithWhatItFinds) {
  ASSERT_TRUE(wait_.begin(now_));
  now_ += 40us;
  wait_.begin_again(now_);
  EXPECT_TRUE(wait_.goes_on(now_ + 40us));
  EXPECT_FALSE(wait_.goes_on(now_ + 50us));
}

TEST_F(ShortWaitTest, LeavesSomeLooksOutAfterOneInVain) {
  looks_for(1h);
  for (int i = 0; i < ShortWait::left_out; ++i)
    EXPECT_EQ(looks_for(0us), 0);
  EXPECT_EQ(looks_for(0us), 1);
  EXPECT_EQ(looks_for(30us), 3);
}

}  // namespace
}  // namespace mcph
