#include "sources/upstream/upstream_listening.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mcph {
namespace {

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
  void abandon(std::string_view /*id*/) override {}
  void close() override {}

  std::vector<UpstreamMessage> sent;
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

 private:
  void progressed(UpstreamClient::RequestId, double, double, std::string_view) override {}
  void said(std::optional<UpstreamClient::RequestId>, std::string_view, std::string_view, std::string_view) override {}
  void asked(std::optional<UpstreamClient::RequestId>, from_upstream::Request) override {}
  void withdrawn(const Json&) override {}
  void lists_changed() override {}
  void acknowledged(const Json& /*notifications*/) override {}
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

}  // namespace
}  // namespace mcph
