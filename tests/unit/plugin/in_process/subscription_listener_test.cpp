#include "plugin/in_process/subscription_listener.hpp"

#include <gtest/gtest.h>

#include "support/manual_executor.hpp"

namespace mcph {
namespace {

using Heard = std::vector<std::string>;

class SubscriptionListenerTest : public ::testing::Test {
 protected:
  ~SubscriptionListenerTest() override { listener_->end(); }

  mcp_subscription_listener recording() {
    mcp_subscription_listener table{};
    table.size = sizeof table;
    table.context = this;
    table.subscribed = [](void* self, mcp_string uri) { hear(self, "+", uri); };
    table.unsubscribed = [](void* self, mcp_string uri) { hear(self, "-", uri); };
    return table;
  }
  static void hear(void* self, const std::string& sign, mcp_string uri) {
    auto& test = *static_cast<SubscriptionListenerTest*>(self);
    test.heard_.push_back(sign + std::string(uri.data, uri.size));
    if (test.on_heard_) test.on_heard_();
  }

  const std::shared_ptr<SubscribedResources> resources_ = std::make_shared<SubscribedResources>();
  test::ManualExecutor executor_;
  int guarded_ = 0;
  const std::shared_ptr<SubscriptionListener> listener_ =
      std::make_shared<SubscriptionListener>(resources_, executor_, [this](const std::function<void()>& call) {
        ++guarded_;
        call();
      });
  Heard heard_;
  std::function<void()> on_heard_;
};

TEST_F(SubscriptionListenerTest, HearsOfWhatThereIsAndOfEachChange) {
  resources_->change({.added = {"a"}});
  const auto table = recording();
  listener_->listen(&table);
  EXPECT_EQ(heard_, Heard{}) << "not on this thread";
  executor_.run_all();
  resources_->change({.added = {"b"}, .removed = {"a"}});
  executor_.run_all();
  EXPECT_EQ(heard_, (Heard{"+a", "+b", "-a"}));
  EXPECT_EQ(guarded_, 3);
}

TEST_F(SubscriptionListenerTest, HearsNothingOnceItHasEnded) {
  const auto table = recording();
  listener_->listen(&table);
  resources_->change({.added = {"a"}});
  listener_->end();
  executor_.run_all();
  listener_->listen(&table);
  executor_.run_all();
  EXPECT_EQ(heard_, Heard{});
}

TEST_F(SubscriptionListenerTest, HearsNothingOnceAnotherOneHasItsPlace) {
  auto table = recording();
  listener_->listen(&table);
  resources_->change({.added = {"a"}});
  table.subscribed = nullptr;
  listener_->listen(&table);
  executor_.run_all();
  resources_->change({.removed = {"a"}});
  executor_.run_all();
  EXPECT_EQ(heard_, Heard{"-a"});
  listener_->listen(nullptr);
  resources_->change({.added = {"b"}});
  executor_.run_all();
  EXPECT_EQ(heard_, Heard{"-a"});
}

TEST_F(SubscriptionListenerTest, MayGiveAnotherOneFromWithin) {
  resources_->change({.added = {"a", "b"}});
  const auto table = recording();
  on_heard_ = [&] {
    on_heard_ = nullptr;
    listener_->listen(&table);
  };
  listener_->listen(&table);
  executor_.run_all();
  EXPECT_EQ(heard_, (Heard{"+a", "+a", "+b"}));
}

TEST_F(SubscriptionListenerTest, OfAnOlderHeaderIsReadAsFarAsItGoes) {
  auto table = recording();
  table.size = offsetof(mcp_subscription_listener, unsubscribed);
  listener_->listen(&table);
  resources_->change({.added = {"a"}});
  executor_.run_all();
  resources_->change({.removed = {"a"}});
  executor_.run_all();
  EXPECT_EQ(heard_, Heard{"+a"});
}

}  // namespace
}  // namespace mcph
