#include "protocol/state/resource_subscriptions.hpp"

#include <gtest/gtest.h>

#include "support/principals.hpp"
#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using Messages = std::vector<std::string>;

std::string updated(const std::string& uri) {
  return R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":")" + uri + R"("}})";
}

// A session over stdio, and what its client hears.
class LegacySubscriptionTest : public test::ServerFixture {
 protected:
  LegacySubscriptionTest() {
    line(test::initialize("2025-11-25"));
    line(test::initialized);
  }
  std::string ask(const std::string& method, const std::string& uri) {
    return line(test::request("1", method, R"({"uri":")" + uri + R"("})"))->body();
  }
  void update(std::string_view uri) {
    catalog_.resource_updates()->updated(uri);
    catalog_.resource_updates()->tell();
  }

  const std::string done_ = R"({"jsonrpc":"2.0","id":1,"result":{}})";
};

TEST_F(LegacySubscriptionTest, HearsOfTheResourcesItSubscribedTo) {
  EXPECT_EQ(ask("resources/subscribe", "notes://all"), done_);
  EXPECT_EQ(ask("resources/subscribe", "notes://today"), done_);
  update("notes://all");
  update("notes://tomorrow");
  update("notes://today");
  EXPECT_EQ(output_->messages, (Messages{updated("notes://all"), updated("notes://today")}));
}

TEST_F(LegacySubscriptionTest, IsOneHoweverTheUriIsEncoded) {
  publish(R"({"resources":[{"uri":"notes://\u00fcber uns","name":"about"}]})");
  output_->messages.clear();
  EXPECT_EQ(ask("resources/subscribe", "notes://%C3%BCber%20uns"), done_);
  EXPECT_EQ(ask("resources/subscribe", "notes://über uns"), done_);
  update("notes://über uns");
  EXPECT_EQ(output_->messages, Messages{updated("notes://%C3%BCber%20uns")});
  output_->messages.clear();
  EXPECT_EQ(ask("resources/unsubscribe", "notes://über%20uns"), done_);
  EXPECT_EQ(ask("resources/subscribe", "notes://über uns"), done_);
  update("notes://%C3%BCber%20uns");
  EXPECT_EQ(output_->messages, Messages{updated("notes://%C3%BCber%20uns")});
  output_->messages.clear();
  EXPECT_EQ(ask("resources/unsubscribe", "notes://%c3%bcber%20uns"), done_);
  update("notes://über uns");
  EXPECT_EQ(output_->messages, Messages{});
}

TEST_F(LegacySubscriptionTest, HearsNothingOnceItUnsubscribed) {
  ask("resources/subscribe", "notes://all");
  ask("resources/subscribe", "notes://all");
  EXPECT_EQ(ask("resources/unsubscribe", "notes://all"), done_);
  EXPECT_EQ(ask("resources/unsubscribe", "notes://never"), done_);
  update("notes://all");
  EXPECT_EQ(output_->messages, Messages{});
}

TEST_F(LegacySubscriptionTest, KeepsItsSubscriptionsWhenThePluginIsReplacedOrGoneForAWhile) {
  ask("resources/subscribe", "notes://all");
  publish("{}");
  publish(test::usual_components);
  output_->messages.clear();
  update("notes://all");
  EXPECT_EQ(output_->messages, Messages{updated("notes://all")});
}

TEST_F(LegacySubscriptionTest, IsRefusedWithTheErrorOfTheRevision) {
  EXPECT_EQ(
      ask("resources/subscribe", "none://here"),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found: none://here","data":{"uri":"none://here"}}})");
  const auto malformed = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params.uri must be a string"}})";
  EXPECT_EQ(line(test::request("1", "resources/subscribe"))->body(), malformed);
  EXPECT_EQ(line(test::request("1", "resources/unsubscribe", R"({"uri":1})"))->body(), malformed);
}

TEST_F(LegacySubscriptionTest, IsRefusedBeyondTheBoundOfASession) {
  for (std::size_t i = 0; i < ResourceSubscriptions::max_count; ++i)
    ASSERT_EQ(ask("resources/subscribe", "notes://" + std::to_string(i)), done_);
  EXPECT_EQ(ask("resources/subscribe", "notes://0"), done_);
  const std::string refused =
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Too many subscriptions: a client has at most 1000; unsubscribe from some resources"}})";
  EXPECT_EQ(ask("resources/subscribe", "notes://more"), refused);
  ask("resources/unsubscribe", "notes://7");
  EXPECT_EQ(ask("resources/subscribe", "notes://more"), done_);
  EXPECT_EQ(
      ask("resources/subscribe", "notes://" + std::string(ResourceSubscriptions::max_uri, 'a')),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"A resource that is subscribed to has a URI of at most 4096 bytes"}})");
}

TEST_F(LegacySubscriptionTest, KeepsAnUpdateUntilThereIsAStreamToTellItOn) {
  const auto session = std::make_shared<Session>("id", Caller{"2025-11-25"});
  session->initialized();
  ASSERT_TRUE(session->subscribe("notes://all", catalog_));
  ASSERT_TRUE(session->subscribe("notes://b", catalog_));
  update("notes://all");
  update("notes://all");
  update("notes://b");
  session->unsubscribe("notes://%62");
  const auto stream = std::make_shared<test::RecordingStream>();
  session->attach(stream);
  EXPECT_EQ(stream->messages, Messages{updated("notes://all")});
}

// Reads all, unless a guest.
class GuestsReadNothing final : public Policy {
 public:
  std::shared_ptr<const Rights> rights_of(const Principal& principal) const override {
    return principal == test::principal("guest") ? nothing_ : nullptr;
  }

 private:
  class Nothing final : public Rights {
    Access to(const Tool&, std::string_view) const override { return {}; }
    Access to(const Prompt&) const override { return {}; }
    Access to(const Resource&) const override { return {}; }
    Access to(const ResourceTemplate&) const override { return {}; }
    bool may_read(std::string_view) const override { return false; }
    bool may_call(std::string_view) const override { return false; }
  };
  const std::shared_ptr<const Rights> nothing_ = std::make_shared<Nothing>();
};

TEST_F(LegacySubscriptionTest, IsToldOnAStreamWhosePrincipalMayReadIt) {
  catalog_.govern(std::make_shared<const GuestsReadNothing>());
  const auto session = std::make_shared<Session>("id", Caller{"2025-11-25"});
  session->initialized();
  ASSERT_TRUE(session->subscribe("notes://all", catalog_));
  const auto guests = std::make_shared<test::RecordingStream>();
  session->attach(guests, test::principal("guest"));
  update("notes://all");
  EXPECT_EQ(guests->messages, Messages{});
  const auto adas = std::make_shared<test::RecordingStream>();
  session->attach(adas, test::principal("ada"));
  EXPECT_EQ(adas->messages, Messages{updated("notes://all")});
  EXPECT_EQ(guests->messages, Messages{});
}

TEST_F(LegacySubscriptionTest, EndsWithItsSession) {
  const auto session = std::make_shared<Session>("id", Caller{"2025-11-25"});
  const auto stream = std::make_shared<test::RecordingStream>();
  session->attach(stream);
  session->initialized();
  ASSERT_TRUE(session->subscribe("notes://all", catalog_));
  session->close_streams();
  update("notes://all");
  EXPECT_EQ(stream->messages, Messages{});
}

class ModernSubscriptionTest : public test::ServerFixture {
 protected:
  std::shared_ptr<test::RecordingExchange> listen(const std::string& filter) {
    return post_modern("subscriptions/listen", R"("notifications":)" + filter + ",");
  }
  void update(std::string_view uri) {
    catalog_.resource_updates()->updated(uri);
    catalog_.resource_updates()->tell();
  }
};

std::string acknowledged(const std::string& filter) {
  return R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":)" +
         filter + "}}";
}

TEST_F(ModernSubscriptionTest, HearsOfTheResourcesItAskedFor) {
  const auto exchange = listen(R"({"resourceSubscriptions":["notes://all","notes://today","notes://all"]})");
  update("notes://today");
  update("notes://tomorrow");
  EXPECT_EQ(
      exchange->notifications(),
      (Messages{
          acknowledged(R"({"resourceSubscriptions":["notes://all","notes://today"]})"),
          R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"notes://today"}})"}));
}

TEST_F(ModernSubscriptionTest, IsOneHoweverTheUriIsEncoded) {
  publish(R"({"resources":[{"uri":"notes://\u00fcber uns","name":"about"}]})");
  const auto exchange = listen(R"({"resourceSubscriptions":["notes://%C3%BCber%20uns","notes://über uns"]})");
  update("notes://über uns");
  EXPECT_EQ(
      exchange->notifications(),
      (Messages{
          acknowledged(R"({"resourceSubscriptions":["notes://%C3%BCber%20uns"]})"),
          R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"notes://%C3%BCber%20uns"}})"}));
}

TEST_F(ModernSubscriptionTest, IsNotAcknowledgedForWhatNobodyServes) {
  EXPECT_EQ(
      listen(R"({"resourceSubscriptions":["none://here","notes://all"],"toolsListChanged":true})")->notifications(),
      Messages{acknowledged(R"({"resourceSubscriptions":["notes://all"],"toolsListChanged":true})")});
  EXPECT_EQ(listen(R"({"resourceSubscriptions":[]})")->notifications(),
            Messages{acknowledged(R"({"resourceSubscriptions":[]})")});
}

TEST_F(ModernSubscriptionTest, IsRefusedWhereItsFilterIsMalformed) {
  const auto refused = [](const std::string& reason) {
    return R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params.notifications.resourceSubscriptions )" +
           reason + R"("}})";
  };
  EXPECT_EQ(listen(R"({"resourceSubscriptions":"notes://all"})")->body(), refused("must be an array of URIs"));
  EXPECT_EQ(listen(R"({"resourceSubscriptions":["notes://all",1]})")->body(), refused("must be an array of URIs"));
  const Json many = {{"resourceSubscriptions", Json::array_t(ResourceSubscriptions::max_count + 1, "notes://all")}};
  EXPECT_EQ(listen(many.dump())->body(), refused("has more than 1000 URIs; send several requests"));
  const auto refused_kind = [](const std::string& reason) {
    return R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params.notifications.)" +
           reason + R"("}})";
  };
  EXPECT_EQ(listen(R"({"toolsListChanged":"yes"})")->body(), refused_kind("toolsListChanged must be true or false"));
  EXPECT_EQ(listen(R"({"taskIds":"x"})")->body(), refused_kind("taskIds must be an array of strings"));
  EXPECT_EQ(listen(R"({"toolsListChanged":null,"taskIds":null,"resourceSubscriptions":null})")->notifications().size(),
            1U);
}

TEST_F(ModernSubscriptionTest, IsRefusedWhereTooMuchWouldBeMatchedWithTemplates) {
  const auto filter_of = [](const std::vector<std::string>& uris) {
    const Json filter = {{"resourceSubscriptions", uris}};
    return filter.dump();
  };
  std::vector<std::string> uris;
  for (int i = 0; i < 10; ++i)
    uris.push_back("x://" + std::to_string(i) + std::string(ResourceSubscriptions::max_uri - 5, 'a'));
  // Nearly as many templates as a plugin may have. It lists the last of the URIs.
  std::string templates = R"({"uriTemplate":"x://{a}","name":"x"})";
  for (int i = 0; i < 31; ++i) {
    const auto name = "y" + std::to_string(i);
    templates += R"(,{"uriTemplate":")" + name + "://" + std::string(1000, 'a') + R"({a}","name":")" + name + "\"}";
  }
  publish(R"({"resourceTemplates":[)" + templates + R"(],"resources":[{"uri":")" + uris.back() +
          R"(","name":"listed"}]})");
  EXPECT_EQ(listen(filter_of(uris))->notifications(), Messages{acknowledged(filter_of(uris))});
  // Each is matched once, however often it is named.
  EXPECT_EQ(listen(filter_of(std::vector(ResourceSubscriptions::max_count, uris.front())))->notifications(),
            Messages{acknowledged(filter_of({uris.front()}))});
  uris.emplace_back("x://none");
  EXPECT_EQ(
      listen(filter_of(uris))->body(),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params.notifications.resourceSubscriptions has too many or too long URIs for the resource templates that they are matched with; send several requests"}})");
}

TEST_F(ModernSubscriptionTest, HearsNothingOnceTheClientCancelledIt) {
  const auto exchange = listen(R"({"resourceSubscriptions":["notes://all"]})");
  exchange->abandon();
  update("notes://all");
  EXPECT_EQ(exchange->notifications().size(), 1U);
}

}  // namespace
}  // namespace mcph
