#include "sources/upstream/upstream_listening.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Keeps what is sent to a server that answers when the test says so.
class PatientTransport final : public UpstreamTransport {
 public:
  Result<> begin(std::weak_ptr<UpstreamListener> /*listener*/, std::chrono::milliseconds /*patience*/) override {
    return {};
  }
  Result<> send(UpstreamMessage message) override {
    sent.push_back(std::move(message));
    return {};
  }
  void abandon(std::string_view id) override { abandoned.emplace_back(id); }
  void close() override {}

  std::vector<UpstreamMessage> sent;
  std::vector<std::string> abandoned;
};

class UpstreamListeningTest : public ::testing::Test, private UpstreamClient::Owner {
 protected:
  static std::vector<std::string> uris(std::size_t count) {
    std::vector<std::string> uris;
    for (std::size_t i = 0; i < count; ++i)
      uris.push_back("a://" + std::to_string(i));
    return uris;
  }
  // Also what is sent because of that.
  void answer_all() {
    for (; answered_ < transport_->sent.size(); ++answered_) {
      const auto answer = R"({"jsonrpc":"2.0","id":)" + transport_->sent[answered_].id + R"(,"result":{}})";
      static_cast<UpstreamListener&>(*client_).message_came(answer, std::nullopt);
    }
  }

  const std::shared_ptr<PatientTransport> transport_ = std::make_shared<PatientTransport>();
  const std::shared_ptr<UpstreamClient> client_ =
      std::make_shared<UpstreamClient>(transport_, static_cast<UpstreamClient::Owner&>(*this));
  const std::unique_ptr<UpstreamListening> listening_ = make_listening({client_, {.revision = "2025-11-25"}}, [] {});
  const std::unique_ptr<UpstreamListening> modern_ =
      make_listening({client_, {.is_modern = true, .revision = "2026-07-28"}}, [] {});

 private:
  void progressed(UpstreamClient::RequestId, double, double, std::string_view) override {}
  void said(std::optional<UpstreamClient::RequestId>, std::string_view, std::string_view, std::string_view) override {}
  void asked(std::optional<UpstreamClient::RequestId>, from_upstream::Request) override {}
  void withdrawn(const Json&) override {}
  void answered_late(UpstreamClient::RequestId) override {}
  void lists_changed() override {}
  void may_have_missed() override {}
  void acknowledged(std::optional<UpstreamClient::RequestId> /*subscription*/, const Json& /*notifications*/) override {
  }
  void resource_updated(const std::string&) override {}
  void misbehaved(std::string_view) override {}
  void connection_ended(const Error&) override {}

  std::size_t answered_ = 0;
};

TEST_F(UpstreamListeningTest, SubscribesToAFewResourcesAtATime) {
  listening_->listen(uris(40));
  EXPECT_EQ(transport_->sent.size(), 16U);
  answer_all();
  EXPECT_EQ(transport_->sent.size(), 40U);
  EXPECT_FALSE(listening_->due());
}

TEST_F(UpstreamListeningTest, AsksNothingOfAResourceThatIsWantedNoMoreBeforeItsTurn) {
  listening_->listen(uris(40));
  listening_->listen({});
  answer_all();
  ASSERT_EQ(transport_->sent.size(), 32U);
  EXPECT_EQ(transport_->sent[15].method, Method::resources_subscribe);
  EXPECT_EQ(transport_->sent[16].method, Method::resources_unsubscribe);
}

TEST_F(UpstreamListeningTest, AsksAgainForAllThatFailed) {
  listening_->listen(uris(40));
  client_->forget(fail_for_now("its connection has ended"));
  EXPECT_EQ(transport_->sent.size(), 16U);
  EXPECT_TRUE(listening_->due());
}

// Over HTTP the second could be there first.
TEST_F(UpstreamListeningTest, AsksOfOneResourceTheNextThingWhenTheLastIsAnswered) {
  listening_->listen({"a://0"});
  answer_all();
  listening_->listen({});
  listening_->listen({"a://0", "a://1"});
  ASSERT_EQ(transport_->sent.size(), 3U);
  EXPECT_EQ(transport_->sent[1].method, Method::resources_unsubscribe);
  EXPECT_THAT(transport_->sent[2].text, HasSubstr("a://1"));
  answer_all();
  ASSERT_EQ(transport_->sent.size(), 4U);
  EXPECT_EQ(transport_->sent[3].method, Method::resources_subscribe);
  EXPECT_THAT(transport_->sent[3].text, HasSubstr("a://0"));
}

TEST_F(UpstreamListeningTest, ASubscriptionGoesOnUntilTheLastThatReplacesItIsAcknowledged) {
  modern_->listen({"a://1"});
  modern_->listen({"a://2"});
  EXPECT_THAT(transport_->abandoned, IsEmpty());
  // Of those that have not been acknowledged only the last is of use.
  modern_->listen({"a://3"});
  EXPECT_THAT(transport_->abandoned, ElementsAre("2"));
  EXPECT_FALSE(modern_->acknowledged(2));
  EXPECT_THAT(transport_->abandoned, ElementsAre("2"));
  EXPECT_TRUE(modern_->acknowledged(3));
  EXPECT_THAT(transport_->abandoned, ElementsAre("2", "1"));
  modern_->listen({});
  EXPECT_THAT(transport_->abandoned, ElementsAre("2", "1", "3"));
}

TEST_F(UpstreamListeningTest, SaysThatASubscriptionHasEndedBeforeTheOneThatReplacesItIsAcknowledged) {
  modern_->listen({"a://1"});
  EXPECT_TRUE(modern_->acknowledged(1));
  modern_->listen({"a://2"});
  EXPECT_FALSE(modern_->has_gap());
  static_cast<UpstreamListener&>(*client_).request_failed("1", {fail_for_now("its stream has broken")});
  EXPECT_FALSE(modern_->due());
  EXPECT_TRUE(modern_->has_gap());
  modern_->listen({"a://3"});
  EXPECT_FALSE(modern_->acknowledged(2));
  EXPECT_TRUE(modern_->has_gap());
  EXPECT_TRUE(modern_->acknowledged(3));
  EXPECT_FALSE(modern_->has_gap());
}

TEST_F(UpstreamListeningTest, ASubscriptionGoesOnUntilTheNextOneThatHasEndedBeginsAgain) {
  modern_->listen({"a://1"});
  modern_->listen({"a://2"});
  static_cast<UpstreamListener&>(*client_).request_failed("2", {fail_for_now("one is enough"), 503});
  EXPECT_TRUE(modern_->due());
  EXPECT_THAT(transport_->abandoned, IsEmpty());
  EXPECT_TRUE(modern_->listen_again({"a://2"}));
  EXPECT_THAT(transport_->abandoned, ElementsAre("1"));
  EXPECT_TRUE(modern_->acknowledged(3));
  EXPECT_THAT(transport_->abandoned, ElementsAre("1"));
}

}  // namespace
}  // namespace mcph
