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
  EXPECT_TRUE(used_.take("a", now_));
  EXPECT_FALSE(used_.take("a", now_));
  EXPECT_TRUE(used_.take("b", now_));
}

TEST_F(UsedPaymentsTest, IsGoodAgainWhenItIsGivenBack) {
  EXPECT_TRUE(used_.take("a", now_));
  used_.give_back("a");
  EXPECT_EQ(used_.size(), 0U);
  EXPECT_TRUE(used_.take("a", now_));
}

TEST_F(UsedPaymentsTest, IsInUseHoweverLongItsCallTakes) {
  EXPECT_TRUE(used_.take("a", now_));
  EXPECT_FALSE(used_.take("a", now_ + std::chrono::hours(1000)));
}

TEST_F(UsedPaymentsTest, IsKeptAsLongAsItIsValid) {
  EXPECT_TRUE(used_.take("a", now_));
  used_.keep("a", now_ + seconds(60));
  EXPECT_FALSE(used_.take("a", now_ + seconds(60)));
  EXPECT_TRUE(used_.take("b", now_ + seconds(61)));
  EXPECT_EQ(used_.size(), 1U);
}

TEST_F(UsedPaymentsTest, HaveABound) {
  for (std::size_t i = 0; i <= UsedPayments::max_payments; ++i) {
    const auto payment = std::to_string(i);
    EXPECT_TRUE(used_.take(payment, now_));
    used_.keep(payment, now_ + seconds(60 + i));
  }
  EXPECT_FALSE(used_.take(std::to_string(UsedPayments::max_payments), now_));
  EXPECT_EQ(used_.size(), UsedPayments::max_payments);
  EXPECT_TRUE(used_.take("0", now_)) << "the one that is valid for the shortest time went first";
}

}  // namespace
}  // namespace mcph
