#include "catalog/subscription_routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/component_settings.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using test::FakePlugin;
using ::testing::Each;
using ::testing::StartsWith;
using Heard = std::vector<std::string>;

class Nobody final : public ResourceListener {
 public:
  void resource_updated(const std::string&) override {}
};

class SubscriptionRoutesTest : public ::testing::Test {
 protected:
  static std::shared_ptr<FakePlugin> make(const std::string& file) {
    return std::make_shared<FakePlugin>("/components/tools/" + file);
  }
  static std::string resource(const std::string& uri) {
    return R"({"resources":[{"uri":")" + uri + R"(","name":"r"}]})";
  }
  void publish(std::vector<std::pair<std::shared_ptr<FakePlugin>, std::string>> plugins) {
    std::vector<ServedPlugin> served;
    for (auto& [plugin, document] : plugins)
      served.push_back({plugin, test::components_of(document)});
    published_.publish(std::make_shared<const Catalog>(++generation_, std::move(served)));
  }
  ResourceUpdates::Place subscribe(const std::string& uri) {
    return *published_.resource_updates()->listen(uri, nobody_);
  }

  PublishedCatalog published_;
  SubscriptionRoutes routes_{published_};
  std::uint64_t generation_ = 0;
  const std::shared_ptr<Nobody> nobody_ = std::make_shared<Nobody>();
  const std::shared_ptr<FakePlugin> a_ = make("a.so");
  const std::shared_ptr<FakePlugin> b_ = make("b.so");
};

TEST_F(SubscriptionRoutesTest, LeadToThePluginThatServesTheResource) {
  publish({{a_, resource("a://x")}, {b_, R"({"resourceTemplates":[{"uriTemplate":"b://{name}","name":"t"}]})"}});
  {
    const auto resource = subscribe("a://x");
    const auto of_template = subscribe("b://y");
    const auto strange = subscribe("c://z");
    routes_.attend();
    EXPECT_EQ(a_->subscriptions, Heard{"+a://x"});
    EXPECT_EQ(b_->subscriptions, Heard{"+b://y"});
  }
  routes_.attend();
  EXPECT_EQ(a_->subscriptions, (Heard{"+a://x", "-a://x"}));
  EXPECT_EQ(b_->subscriptions, (Heard{"+b://y", "-b://y"}));
}

TEST_F(SubscriptionRoutesTest, CountSeveralClientsOnce) {
  publish({{a_, resource("a://x")}});
  auto first = std::make_unique<ResourceUpdates::Place>(subscribe("a://x"));
  const auto second = subscribe("a://x");
  routes_.attend();
  first.reset();
  routes_.attend();
  EXPECT_EQ(a_->subscriptions, Heard{"+a://x"});
}

TEST_F(SubscriptionRoutesTest, CountAnAliasAndWhatItIsForOnce) {
  const auto settings = std::make_shared<ComponentSettings>();
  settings->aliases = {{"b://alias", {"a://x"}}};
  const auto components = with_settings(*test::components_of(resource("a://x")), settings);
  published_.publish(std::make_shared<const Catalog>(
      ++generation_, std::vector<ServedPlugin>{{a_, std::make_shared<const Components>(components)}}));
  auto own = std::make_unique<ResourceUpdates::Place>(subscribe("a://x"));
  routes_.attend();
  EXPECT_EQ(a_->subscriptions, Heard{"+a://x"});
  auto alias = std::make_unique<ResourceUpdates::Place>(subscribe("b://alias"));
  own.reset();
  a_->subscriptions.clear();
  routes_.attend();
  EXPECT_THAT(a_->subscriptions, Each(StartsWith("+")));
  alias.reset();
  a_->subscriptions.clear();
  routes_.attend();
  EXPECT_EQ(a_->subscriptions, Heard{"-a://x"});
}

TEST_F(SubscriptionRoutesTest, TellThePluginItsOwnUri) {
  publish({{a_, resource("a://x y")}});
  const auto place = subscribe("a://x%20y");
  routes_.attend();
  EXPECT_EQ(a_->subscriptions, Heard{"+a://x y"});
}

TEST_F(SubscriptionRoutesTest, TellThePluginTheUriOfATemplateAsItIsRead) {
  publish({{a_, R"({"resourceTemplates":[{"uriTemplate":"log://{name}","name":"t"}]})"}});
  {
    const auto encoded = subscribe("log://a%2Db");
    const auto raw = subscribe("log://\xC3\xBC");
    routes_.attend();
    EXPECT_EQ(a_->subscriptions, (Heard{"+log://%C3%BC", "+log://a-b"}));
  }
  a_->subscriptions.clear();
  routes_.attend();
  EXPECT_EQ(a_->subscriptions, (Heard{"-log://%C3%BC", "-log://a-b"}));
}

TEST_F(SubscriptionRoutesTest, FollowWhatIsServed) {
  publish({{a_, resource("a://x")}});
  const auto place = subscribe("a://x");
  routes_.attend();
  publish({{b_, resource("a://x")}});
  routes_.attend();
  EXPECT_EQ(b_->subscriptions, Heard{"+a://x"});
  EXPECT_EQ(a_->subscriptions, (Heard{"+a://x", "-a://x"}));
  publish({});
  routes_.attend();
  EXPECT_EQ(b_->subscriptions, (Heard{"+a://x", "-a://x"}));
  publish({{b_, resource("a://x")}});
  routes_.attend();
  EXPECT_EQ(b_->subscriptions, (Heard{"+a://x", "-a://x", "+a://x"}));
}

TEST_F(SubscriptionRoutesTest, SayNothingTwice) {
  publish({{a_, resource("a://x")}});
  const auto place = subscribe("a://x");
  routes_.attend();
  routes_.attend();
  publish({{a_, resource("a://x")}, {b_, resource("b://x")}});
  routes_.attend();
  EXPECT_EQ(a_->subscriptions, Heard{"+a://x"});
  EXPECT_EQ(b_->subscriptions, Heard{});
}

TEST_F(SubscriptionRoutesTest, KeepNoPlugin) {
  auto plugin = make("gone.so");
  publish({{plugin, resource("a://x")}});
  const auto place = subscribe("a://x");
  routes_.attend();
  publish({});
  const std::weak_ptr<FakePlugin> held = plugin;
  plugin.reset();
  EXPECT_TRUE(held.expired());
  routes_.attend();
}

}  // namespace
}  // namespace mcph
