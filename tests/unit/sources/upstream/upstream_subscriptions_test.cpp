#include "sources/upstream/upstream_subscriptions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> numbered(const std::string& beginning, std::size_t count) {
  std::vector<std::string> uris;
  for (std::size_t number = 0; number < count; ++number)
    uris.push_back(beginning + std::to_string(number));
  return uris;
}

class UpstreamSubscriptionsTest : public ::testing::Test {
 protected:
  UpstreamNames names_;
  UpstreamSubscriptions subscriptions_{names_};
};

TEST_F(UpstreamSubscriptionsTest, AreWhatClientsAreSubscribedToAndWhatIsListed) {
  EXPECT_THAT(subscriptions_.watched(), IsEmpty());
  subscriptions_.list({"a://listed"});
  EXPECT_FALSE(subscriptions_.change({.added = {"a://b"}}));
  EXPECT_THAT(subscriptions_.watched(), ElementsAre("a://b", "a://listed"));
  EXPECT_THAT(subscriptions_.subscribed(), ElementsAre("a://b"));
  EXPECT_TRUE(subscriptions_.concerns("a://b"));
  EXPECT_TRUE(subscriptions_.concerns("a://listed"));
  EXPECT_FALSE(subscriptions_.concerns("a://other"));
  subscriptions_.change({.removed = {"a://b"}});
  subscriptions_.list({});
  EXPECT_THAT(subscriptions_.watched(), IsEmpty());
  EXPECT_FALSE(subscriptions_.concerns("a://b"));
  EXPECT_FALSE(subscriptions_.concerns("a://listed"));
}

TEST_F(UpstreamSubscriptionsTest, CompareUrisInOneForm) {
  subscriptions_.change({.added = {"a://x y"}});
  EXPECT_TRUE(subscriptions_.concerns("a://x%20y"));
  EXPECT_THAT(subscriptions_.watched(), ElementsAre("a://x y"));
  subscriptions_.change({.removed = {"a://x%20y"}});
  EXPECT_THAT(subscriptions_.watched(), IsEmpty());
}

TEST_F(UpstreamSubscriptionsTest, AreNotOfWhatIsExcluded) {
  names_.exclude.push_back(*WrittenPattern::read("resource:a://secret*"));
  subscriptions_.change({.added = {"a://secret/1", "a://open"}});
  EXPECT_THAT(subscriptions_.watched(), ElementsAre("a://open"));
}

TEST_F(UpstreamSubscriptionsTest, KeepThoseThatCameFirst) {
  const auto most = UpstreamSubscriptions::max_watched;
  EXPECT_FALSE(subscriptions_.change({.added = numbered("z://", most)}));
  subscriptions_.list({"b://listed"});
  EXPECT_TRUE(subscriptions_.change({.added = {"a://late"}}));
  EXPECT_FALSE(subscriptions_.change({.added = {"a://later"}}));
  EXPECT_THAT(subscriptions_.watched(), SizeIs(most));
  EXPECT_THAT(subscriptions_.watched(), Not(Contains("a://late")));
  EXPECT_TRUE(subscriptions_.concerns("a://late"));
  subscriptions_.change({.removed = {"z://0", "z://1", "z://2"}});
  EXPECT_THAT(subscriptions_.watched(), Contains("a://late"));
  EXPECT_THAT(subscriptions_.watched(), Contains("b://listed"));
}

TEST_F(UpstreamSubscriptionsTest, WatchTheFirstThatAreListedInAnyOrder) {
  auto uris = numbered("a://", 500);
  subscriptions_.list(uris);
  const auto watched = subscriptions_.watched();
  EXPECT_THAT(watched, SizeIs(100));
  subscriptions_.list({uris.rbegin(), uris.rend()});
  EXPECT_EQ(subscriptions_.watched(), watched);
  EXPECT_TRUE(subscriptions_.concerns("a://499"));
}

}  // namespace
}  // namespace mcph
