#include "sources/upstream/upstream_client.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::chrono_literals;

// A program that has started when it is initialized, which it refuses. Before that it answers nothing.
class SlowModernProgram final : public UpstreamTransport {
 public:
  Result<> begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds /*patience*/) override {
    listener_ = std::move(listener);
    return {};
  }
  Result<> send(UpstreamMessage message) override {
    sent += std::string(name_of(*message.method)) + " ";
    if (message.method == Method::initialize) {
      has_started_ = true;
      answer(message.id, R"("error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}})");
    } else if (message.method == Method::server_discover && has_started_ && answers) {
      answer(message.id, R"("result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}})");
    }
    return {};
  }
  void abandon(std::string_view /*id*/) override {}
  void close() override {}
  int process() const override { return 1; }

  bool answers = true;
  std::string sent;

 private:
  void answer(const std::string& id, const std::string& how) {
    listener_.lock()->message_came(R"({"jsonrpc":"2.0","id":)" + id + "," + how + "}", std::nullopt);
  }

  std::weak_ptr<UpstreamListener> listener_;
  bool has_started_ = false;
};

// Answers each request with one error, or with nothing, within the call that asks.
class ServerElsewhere final : public UpstreamTransport {
 public:
  Result<> begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds /*patience*/) override {
    listener_ = std::move(listener);
    return {};
  }
  Result<> send(UpstreamMessage message) override {
    if (while_sending) while_sending();
    heard += std::string(name_of(*message.method)) + " ";
    if (code != 0) {
      const auto error = R"({"code":)" + std::to_string(code) + R"(,"message":"no"}})";
      listener_.lock()->message_came(R"({"jsonrpc":"2.0","id":)" + message.id + R"(,"error":)" + error, std::nullopt);
    }
    return {};
  }
  void abandon(std::string_view id) override { heard += "end of " + std::string(id); }
  void close() override {}
  int process() const override { return process_id; }

  int code = 0;
  int process_id = 0;
  std::function<void()> while_sending;
  std::string heard;

 private:
  std::weak_ptr<UpstreamListener> listener_;
};

// A server that does not take the notification that it is initialized.
class BusyServer final : public UpstreamTransport {
 public:
  Result<> begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds /*patience*/) override {
    listener_ = std::move(listener);
    return {};
  }
  Result<> send(UpstreamMessage message) override {
    if (message.method == Method::initialize)
      listener_.lock()->message_came(
          R"({"jsonrpc":"2.0","id":)" + message.id + R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{}}})",
          std::nullopt);
    if (message.taken) message.taken(fail("it is busy"));
    return {};
  }
  void abandon(std::string_view /*id*/) override {}
  void close() override {}

 private:
  std::weak_ptr<UpstreamListener> listener_;
};

class UpstreamClientTest : public ::testing::Test, private UpstreamClient::Owner {
 protected:
  // It answers within the call that asks, or not at all.
  static constexpr auto patience = 2ms;

  std::shared_ptr<UpstreamClient> client_of(const std::shared_ptr<UpstreamTransport>& transport) {
    return std::make_shared<UpstreamClient>(transport, static_cast<UpstreamClient::Owner&>(*this));
  }

  std::optional<UpstreamClient::RequestId> acknowledged_;
  std::optional<UpstreamClient::RequestId> answered_late_;
  const std::shared_ptr<SlowModernProgram> program_ = std::make_shared<SlowModernProgram>();
  const std::shared_ptr<UpstreamClient> client_ = client_of(program_);

 private:
  void progressed(UpstreamClient::RequestId, double, double, std::string_view) override {}
  void said(std::optional<UpstreamClient::RequestId>, std::string_view, std::string_view, std::string_view) override {}
  void asked(std::optional<UpstreamClient::RequestId>, from_upstream::Request) override {}
  void withdrawn(const Json&) override {}
  void answered_late(UpstreamClient::RequestId request) override { answered_late_ = request; }
  void lists_changed() override {}
  void may_have_missed() override {}
  void acknowledged(std::optional<UpstreamClient::RequestId> subscription, const Json& /*notifications*/) override {
    acknowledged_ = subscription;
  }
  void resource_updated(const std::string&) override {}
  void misbehaved(std::string_view) override {}
  void connection_ended(const Error&) override {}
};

TEST_F(UpstreamClientTest, AsksAProgramAgainThatWasSlowToStartAndRefusesToBeInitialized) {
  const auto peer = client_->connect(patience, true);
  ASSERT_TRUE(peer.has_value()) << peer.error().message;
  EXPECT_TRUE(peer->is_modern);
  EXPECT_EQ(program_->sent, "server/discover notifications/cancelled initialize server/discover ");
}

TEST_F(UpstreamClientTest, SaysWhyAProgramRefusesToBeInitializedThatIsNotModern) {
  program_->answers = false;
  const auto peer = client_->connect(patience, true);
  ASSERT_TRUE(peer.has_error());
  EXPECT_EQ(peer.error().message, "it answered initialize with the error -32022: no");
}

TEST_F(UpstreamClientTest, FailsForNowWhereItCannotSayThatItHasInitialized) {
  const auto client = client_of(std::make_shared<BusyServer>());
  const auto peer = client->connect(patience, false);
  ASSERT_TRUE(peer.has_error());
  EXPECT_EQ(peer.error().message, "it did not take notifications/initialized: it is busy");
  EXPECT_TRUE(peer.error().may_pass());
}

TEST_F(UpstreamClientTest, AsksNothingElseOfAProgramThatIsSaidToBeLegacy) {
  EXPECT_TRUE(client_->connect(patience, false).has_error());
  EXPECT_EQ(program_->sent, "initialize ");
}

TEST_F(UpstreamClientTest, AServerElsewhereIsThereWhateverErrorItAnswersAPingWith) {
  const auto server = std::make_shared<ServerElsewhere>();
  const auto client = client_of(server);
  ASSERT_TRUE(server->begin(client, patience).has_value());
  for (const int code : {-32000, -32600, -32601, -32603}) {
    server->code = code;
    EXPECT_TRUE(client->ping({.revision = "2025-11-25"}, patience).has_value()) << code;
  }
}

TEST_F(UpstreamClientTest, CancelsARequestThatIsBeingSentAfterIt) {
  const auto server = std::make_shared<ServerElsewhere>();
  const auto client = client_of(server);
  const UpstreamPeer peer{.revision = "2025-11-25"};
  server->while_sending = [&] { client->cancel(peer, 1, "nobody waits for it"); };
  const auto ignored = [](const UpstreamOutcome&) {};
  EXPECT_TRUE(client->request(peer, Method::tools_list, Json::object(), ignored).has_value());
  EXPECT_EQ(server->heard, "tools/list notifications/cancelled end of 1");
}

TEST_F(UpstreamClientTest, TellsThatWhatIsCancelledHasBeenAnsweredAllTheSame) {
  const auto server = std::make_shared<ServerElsewhere>();
  const auto client = client_of(server);
  const UpstreamPeer peer{.revision = "2025-11-25"};
  const auto ignored = [](const UpstreamOutcome&) {};
  const auto request = client->request(peer, Method::tools_list, Json::object(), ignored);
  ASSERT_TRUE(request.has_value());
  client->cancel(peer, *request, "nobody waits for it");
  EXPECT_FALSE(answered_late_.has_value());
  static_cast<UpstreamListener&>(*client).message_came(R"({"jsonrpc":"2.0","id":1,"result":{}})", std::nullopt);
  EXPECT_EQ(answered_late_, 1U);
}

TEST_F(UpstreamClientTest, TellsWhichSubscriptionIsAcknowledged) {
  ASSERT_TRUE(client_->connect(patience, true).has_value());
  const auto hear = [this](const std::string& meta, std::optional<std::string_view> stream_of) {
    const auto params = R"("params":{"notifications":{})" + meta + "}}";
    static_cast<UpstreamListener&>(*client_).message_came(
        R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",)" + params, stream_of);
  };
  hear(R"(,"_meta":{"io.modelcontextprotocol/subscriptionId":7})", std::nullopt);
  EXPECT_EQ(acknowledged_, 7U);
  hear("", "8");
  EXPECT_EQ(acknowledged_, 8U);
}

}  // namespace
}  // namespace mcph
