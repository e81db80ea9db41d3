#include "sources/upstream/upstream_client.hpp"

#include <chrono>
#include <memory>
#include <string>

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

class UpstreamClientTest : public ::testing::Test, private UpstreamClient::Owner {
 protected:
  // It answers within the call that asks, or not at all.
  static constexpr auto patience = 2ms;

  const std::shared_ptr<SlowModernProgram> program_ = std::make_shared<SlowModernProgram>();
  const std::shared_ptr<UpstreamClient> client_ =
      std::make_shared<UpstreamClient>(program_, static_cast<UpstreamClient::Owner&>(*this));

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

TEST_F(UpstreamClientTest, AsksNothingElseOfAProgramThatIsSaidToBeLegacy) {
  EXPECT_TRUE(client_->connect(patience, false).has_error());
  EXPECT_EQ(program_->sent, "initialize ");
}

}  // namespace
}  // namespace mcph
