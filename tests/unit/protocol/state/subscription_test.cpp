#include "protocol/state/subscription.hpp"

#include <gtest/gtest.h>

#include "support/recording_exchange.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

class SubscriptionTest : public ::testing::Test {
 protected:
  // An open subscription and its request hold each other.
  ~SubscriptionTest() override { exchange_->abandon(); }

  std::shared_ptr<Subscription> open(ListKinds wanted, std::string id = "1") {
    return Subscription::open(std::move(id), {wanted}, exchange_, {}, {}, catalog_);
  }
  void publish(const std::string& document) {
    catalog_.publish(
        std::make_shared<const Catalog>(++generation_, std::vector{test::served_plugin("a.so", document)}));
  }

  PublishedCatalog catalog_;
  std::uint64_t generation_ = 0;
  std::shared_ptr<test::RecordingExchange> exchange_ = std::make_shared<test::RecordingExchange>();
};

constexpr auto everything = R"({"tools":[{"name":"t","inputSchema":{"type":"object"}}],
                                "resources":[{"uri":"a://b","name":"b"}],"prompts":[{"name":"p"}]})";

TEST_F(SubscriptionTest, IsAcknowledgedWithWhatWillBeTold) {
  open({.tools = true, .prompts = true});
  EXPECT_EQ(
      exchange_->notifications(),
      std::vector<std::string>{
          R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{"promptsListChanged":true,"toolsListChanged":true}}})"});
  EXPECT_TRUE(exchange_->replies().empty());
}

TEST_F(SubscriptionTest, IsAcknowledgedEvenIfNothingOfItCanBeTold) {
  open({}, R"("x")");
  EXPECT_EQ(
      exchange_->notifications(),
      std::vector<std::string>{
          R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"x"},"notifications":{}}})"});
}

TEST_F(SubscriptionTest, HearsOnlyOfTheKindsItAskedFor) {
  open({.resources = true});
  publish(everything);
  ASSERT_EQ(exchange_->notifications().size(), 2U);
  EXPECT_EQ(
      exchange_->notifications()[1],
      R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}})");
}

TEST_F(SubscriptionTest, HearsOnceOfEachKindInOnePublication) {
  open({.tools = true, .resources = true, .prompts = true});
  publish(everything);
  EXPECT_EQ(exchange_->notifications().size(), 4U);
  publish(everything);
  EXPECT_EQ(exchange_->notifications().size(), 4U);
}

TEST_F(SubscriptionTest, LivesAsLongAsItsRequest) {
  const std::weak_ptr<Subscription> subscription = open({.tools = true});
  EXPECT_FALSE(subscription.expired());
  exchange_->abandon();
  EXPECT_TRUE(subscription.expired());
  publish(everything);
  EXPECT_EQ(exchange_->notifications().size(), 1U);
}

TEST_F(SubscriptionTest, IsGoneAtOnceIfTheClientWasGoneBefore) {
  exchange_->abandon();
  const std::weak_ptr<Subscription> subscription = open({.tools = true});
  EXPECT_TRUE(subscription.expired());
  EXPECT_TRUE(exchange_->notifications().empty());
}

TEST_F(SubscriptionTest, EndsWithAResultThatNamesIt) {
  const auto subscription = open({.tools = true});
  subscription->end(R"({"name":"host"})");
  EXPECT_EQ(
      exchange_->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1,"io.modelcontextprotocol/serverInfo":{"name":"host"}}}})");
  publish(everything);
  EXPECT_EQ(exchange_->notifications().size(), 1U);
}

}  // namespace
}  // namespace mcph
