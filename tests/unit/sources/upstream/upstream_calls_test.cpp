#include "sources/upstream/upstream_calls.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_log.hpp"
#include "support/thread_executor.hpp"

namespace mcph {
namespace {

using ::testing::HasSubstr;

// Keeps what is sent.
class KeepingTransport final : public UpstreamTransport {
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

class AskedPersonsCall final : public Call {
 public:
  AskedPersonsCall() : Call(PluginMethod::tools_call, R"({"arguments":{},"name":"book"})", "book") {}
  void progress(double /*progress*/, double /*total*/, std::string_view /*message*/) override {}
  void log(std::int32_t /*level*/, std::string_view /*message*/) override {}
  void complete(Outcome outcome, std::string_view json) override {
    end = std::to_string(static_cast<int>(outcome)) + " " + std::string(json);
  }
  std::string context() const override { return R"({"clientCapabilities":{"elicitation":{"form":{}}}})"; }

  std::string end;
};

// Calls over a connection of the legacy era.
class UpstreamCallsTest : public ::testing::Test, private UpstreamClient::Owner {
 protected:
  UpstreamCallsTest() { calls_.serve({client_, {.revision = "2025-11-25"}}); }
  ~UpstreamCallsTest() override {
    client_->forget(fail("the test is over"));
    calls_.lose(fail("the test is over"));
  }

  // What the upstream says.
  void hear(std::string_view text) { static_cast<UpstreamListener&>(*client_).message_came(text, std::nullopt); }

  using RequestId = UpstreamClient::RequestId;
  void progressed(RequestId /*request*/, double /*progress*/, double /*total*/, std::string_view /*message*/) override {
  }
  void said(std::optional<RequestId> /*request*/, std::string_view /*level*/, std::string_view /*text*/) override {}
  void asked(std::optional<RequestId> request, from_upstream::Request question) override {
    EXPECT_TRUE(calls_.asked(request, question));
  }
  void lists_changed() override {}
  void resource_updated(const std::string& /*uri*/) override {}
  void misbehaved(std::string_view what) override { ADD_FAILURE() << what; }
  void connection_ended(const Error& /*why*/) override {}

  test::RecordingLog log_;
  RateLimitedLog limited_log_{log_, 100};
  const PluginIdentity identity_{
      .file = "far.mcp.json", .name = "far", .version = "1", .digest = "", .is_upstream = true};
  const PluginLimits limits_;
  const PluginEvents events_;
  LimitReports limit_reports_{log_, identity_};
  test::ThreadExecutor executor_;
  const std::shared_ptr<KeepingTransport> transport_ = std::make_shared<KeepingTransport>();
  const std::shared_ptr<UpstreamClient> client_ =
      std::make_shared<UpstreamClient>(transport_, static_cast<UpstreamClient::Owner&>(*this));
  UpstreamCalls calls_{{identity_, limits_, events_, limit_reports_, executor_}, limited_log_, [](const auto&) {}};
};

TEST_F(UpstreamCallsTest, AnUpstreamThatWaitsForAnAnswerOfItsCallsClientIsNotIdle) {
  EXPECT_TRUE(calls_.is_idle());
  const auto call = std::make_shared<AskedPersonsCall>();
  calls_.invoke(call);
  EXPECT_FALSE(calls_.is_idle());
  hear(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"When?"}})");
  ASSERT_THAT(call->end, HasSubstr("When?"));
  EXPECT_FALSE(calls_.is_idle());
  // It goes on without the answer, and waits for nothing any more.
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_TRUE(calls_.is_idle());
}

}  // namespace
}  // namespace mcph
