#include "plugin/subscribed_resources.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

using Uris = std::vector<std::string>;

class SubscribedResourcesTest : public ::testing::Test {
 protected:
  SubscribedResources::Ticket follow() {
    return resources_.follow([this] { ++calls_; });
  }

  SubscribedResources resources_;
  int calls_ = 0;
};

TEST_F(SubscribedResourcesTest, AreKnownWithoutAnybodyWhoFollows) {
  resources_.change({.added = {"b", "a"}});
  resources_.change({.removed = {"b", "unknown"}});
  EXPECT_EQ(resources_.all(), Uris{"a"});
}

TEST_F(SubscribedResourcesTest, AreToldFromTheBeginningToWhoFollows) {
  resources_.change({.added = {"a"}});
  const auto ticket = follow();
  EXPECT_EQ(resources_.take(ticket), (SubscriptionChanges{.added = {"a"}}));
  EXPECT_FALSE(resources_.take(ticket));
  EXPECT_EQ(calls_, 0);
  resources_.change({.added = {"b"}});
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(resources_.take(ticket), (SubscriptionChanges{.added = {"b"}}));
}

TEST_F(SubscribedResourcesTest, CallWhoFollowsOnceUntilHeHasTakenAll) {
  const auto ticket = follow();
  EXPECT_FALSE(resources_.take(ticket));
  resources_.change({.added = {"a"}});
  resources_.change({.added = {"b"}});
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(resources_.take(ticket), (SubscriptionChanges{.added = {"a", "b"}}));
  resources_.change({.removed = {"a"}});
  EXPECT_EQ(calls_, 1) << "he still takes";
  EXPECT_EQ(resources_.take(ticket), (SubscriptionChanges{.removed = {"a"}}));
  EXPECT_FALSE(resources_.take(ticket));
}

TEST_F(SubscribedResourcesTest, DoNotTellWhatHasBeenUndone) {
  const auto ticket = follow();
  for (int i = 0; i < 1000; ++i) {
    resources_.change({.added = {"a"}});
    resources_.change({.removed = {"a"}});
  }
  EXPECT_FALSE(resources_.take(ticket));
}

TEST_F(SubscribedResourcesTest, GiveNothingToWhoDoesNotFollowAnyMore) {
  const auto first = follow();
  resources_.change({.added = {"a"}});
  const auto second = follow();
  EXPECT_FALSE(resources_.take(first));
  EXPECT_EQ(resources_.take(second), (SubscriptionChanges{.added = {"a"}}));
  resources_.end();
  resources_.change({.added = {"b"}});
  EXPECT_FALSE(resources_.take(second));
}

TEST_F(SubscribedResourcesTest, TheirChangesAreReadAsTheyWereWritten) {
  const SubscriptionChanges changes{.added = {"a://\"b\""}, .removed = {"c", ""}};
  EXPECT_EQ(*SubscriptionChanges::read(changes.json()), changes);
  EXPECT_TRUE(SubscriptionChanges::read("[]").has_error());
  EXPECT_TRUE(SubscriptionChanges::read(R"({"added":[1],"removed":[]})").has_error());
}

}  // namespace
}  // namespace mcph
