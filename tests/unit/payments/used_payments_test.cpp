#include "payments/used_payments.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

using std::chrono::seconds;

class UsedPaymentsTest : public ::testing::Test {
 protected:
  const UsedPayments::Time now_{seconds(1'000'000)};
  UsedPayments used_;
};

TEST_F(UsedPaymentsTest, IsTakenOnce) {
  EXPECT_TRUE(used_.take("a", now_ + seconds(60), now_));
  EXPECT_FALSE(used_.take("a", now_ + seconds(60), now_));
  EXPECT_TRUE(used_.take("b", now_ + seconds(60), now_));
}

TEST_F(UsedPaymentsTest, IsGoodAgainWhenItIsGivenBack) {
  EXPECT_TRUE(used_.take("a", now_ + seconds(60), now_));
  used_.give_back("a");
  EXPECT_EQ(used_.size(), 0U);
  EXPECT_TRUE(used_.take("a", now_ + seconds(60), now_));
}

TEST_F(UsedPaymentsTest, IsKeptAsLongAsItIsValid) {
  EXPECT_TRUE(used_.take("a", now_ + seconds(60), now_));
  EXPECT_FALSE(used_.take("a", now_ + seconds(120), now_ + seconds(60)));
  EXPECT_TRUE(used_.take("b", now_ + seconds(120), now_ + seconds(61)));
  EXPECT_EQ(used_.size(), 1U);
}

TEST_F(UsedPaymentsTest, HasABound) {
  for (std::size_t i = 0; i <= UsedPayments::max_payments; ++i)
    EXPECT_TRUE(used_.take(std::to_string(i), now_ + seconds(60 + i), now_));
  EXPECT_EQ(used_.size(), UsedPayments::max_payments);
  EXPECT_FALSE(used_.take(std::to_string(UsedPayments::max_payments), now_ + seconds(1), now_));
}

}  // namespace
}  // namespace mcph
