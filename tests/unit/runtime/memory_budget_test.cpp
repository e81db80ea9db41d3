#include "runtime/memory_budget.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

constexpr std::size_t free_bytes = MemoryBudget::free_bytes;

class MemoryBudgetTest : public ::testing::Test {
 protected:
  const std::shared_ptr<MemoryBudget> budget_ = std::make_shared<MemoryBudget>(100'000);
};

TEST_F(MemoryBudgetTest, IsNotTouchedBySmallMessages) {
  MemoryBudget::Share share;
  EXPECT_TRUE(share.grow(budget_, free_bytes));
  EXPECT_TRUE(share.is_empty());
  EXPECT_EQ(budget_->taken(), 0U);
}

TEST_F(MemoryBudgetTest, HasNoMoreThanItsBytes) {
  MemoryBudget::Share first;
  MemoryBudget::Share second;
  EXPECT_TRUE(first.grow(budget_, 60'000));
  EXPECT_FALSE(second.grow(budget_, 40'001));
  EXPECT_TRUE(second.grow(budget_, 40'000));
  EXPECT_FALSE(first.grow(budget_, 60'001));
  EXPECT_EQ(budget_->taken(), 100'000U);
}

TEST_F(MemoryBudgetTest, TakesAShareThatGrowsOnce) {
  MemoryBudget::Share share;
  EXPECT_TRUE(share.grow(budget_, 20'000));
  EXPECT_TRUE(share.grow(budget_, 50'000));
  EXPECT_TRUE(share.grow(budget_, 30'000));
  EXPECT_EQ(budget_->taken(), 50'000U);
}

TEST_F(MemoryBudgetTest, GetsBackWhatAShareNeedsNoMore) {
  MemoryBudget::Share share;
  share.shrink(0);
  ASSERT_TRUE(share.grow(budget_, 100'000));
  share.shrink(200'000);
  EXPECT_EQ(budget_->taken(), 100'000U);
  share.shrink(30'000);
  EXPECT_EQ(budget_->taken(), 30'000U);
  share.shrink(free_bytes);
  EXPECT_EQ(budget_->taken(), 0U);
  EXPECT_EQ(budget_->moved(), 200'000U);
}

TEST_F(MemoryBudgetTest, GetsBackWhatIsHeldNoMore) {
  {
    MemoryBudget::Share share;
    ASSERT_TRUE(share.grow(budget_, 100'000));
    const auto moved = std::move(share);
    EXPECT_EQ(budget_->taken(), 100'000U);
  }
  EXPECT_EQ(budget_->taken(), 0U);
}

TEST_F(MemoryBudgetTest, GetsBackWhatAShareHadThatAnotherTakesThePlaceOf) {
  MemoryBudget::Share share;
  ASSERT_TRUE(share.grow(budget_, 100'000));
  share = {};
  EXPECT_EQ(budget_->taken(), 0U);
  EXPECT_TRUE(share.is_empty());
}

TEST_F(MemoryBudgetTest, SaysOnceThatItWasShort) {
  MemoryBudget::Share share;
  EXPECT_FALSE(budget_->was_short());
  EXPECT_FALSE(share.grow(budget_, 100'001));
  EXPECT_TRUE(budget_->was_short());
  EXPECT_FALSE(budget_->was_short());
}

TEST_F(MemoryBudgetTest, HasNothingLeftWhileItIsOverdrawn) {
  MemoryBudget::Share share;
  {
    MemoryBudget::Share overdrawn;
    overdrawn.overdraw(budget_, 150'000);
    EXPECT_EQ(budget_->taken(), 150'000U);
    EXPECT_FALSE(share.grow(budget_, 20'000));
  }
  EXPECT_TRUE(share.grow(budget_, 20'000));
}

TEST_F(MemoryBudgetTest, IsNotNeeded) {
  MemoryBudget::Share share;
  EXPECT_TRUE(share.grow(nullptr, 1'000'000'000));
}

}  // namespace
}  // namespace mcph
