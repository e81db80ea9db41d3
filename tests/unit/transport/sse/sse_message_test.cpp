#include "transport/sse/sse_message.hpp"

#include <gtest/gtest.h>

#include "support/principals.hpp"
#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using Messages = std::vector<std::string>;

class SseClientTest : public test::ServerFixture {
 protected:
  SseClientTest() { plugin_->calls.clear(); }

  Reply say(std::string_view body) { return post_sse_message(*client_, body, {.principal = anonymous}, server_); }
  Messages heard() { return client_->stream().outbox().take().messages; }

  StreamClients clients_{StreamClient::Eras::legacy};
  const std::shared_ptr<StreamClient> client_ = clients_.open(anonymous, {});
};

TEST_F(SseClientTest, AreFoundByIdsThatNobodyGuessesUntilTheyGo) {
  const auto other = clients_.open(anonymous, {});
  EXPECT_NE(client_->id(), other->id());
  EXPECT_GE(client_->id().size(), 43U);
  EXPECT_EQ(clients_.find(client_->id(), anonymous), client_);
  EXPECT_EQ(clients_.find("made-up", anonymous), nullptr);
  clients_.close(*client_);
  EXPECT_EQ(clients_.find(client_->id(), anonymous), nullptr);
  EXPECT_EQ(clients_.find(other->id(), anonymous), other);
}

TEST_F(SseClientTest, AreUnknownToAnotherPrincipal) {
  const auto hers = clients_.open(test::principal("ada"), {});
  EXPECT_EQ(clients_.find(hers->id(), test::principal("ada")), hers);
  EXPECT_EQ(clients_.find(hers->id(), test::principal("eve")), nullptr);
  EXPECT_EQ(clients_.find(hers->id(), anonymous), nullptr);
  EXPECT_EQ(clients_.find(client_->id(), test::principal("eve")), nullptr);
}

TEST_F(SseClientTest, HearTheirAnswersOnTheirStream) {
  EXPECT_EQ(say(test::initialize("2024-11-05")).status, ReplyStatus::accepted);
  const auto messages = heard();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_NE(messages[0].find(R"("protocolVersion":"2024-11-05")"), std::string::npos);
  EXPECT_EQ(say(test::initialized).status, ReplyStatus::accepted);
  EXPECT_EQ(say(test::request("7", "ping")).body, "");
  EXPECT_EQ(heard(), Messages{R"({"jsonrpc":"2.0","id":7,"result":{}})"});
}

TEST_F(SseClientTest, HearOfChangesOnTheirStream) {
  say(test::initialize("2024-11-05"));
  say(test::initialized);
  heard();
  publish("{}");
  EXPECT_EQ(heard().size(), 3U);
}

TEST_F(SseClientTest, AreRefusedWhereTheySayNothingThatIsAMessage) {
  for (const auto* body : {"{", "[]", "{}", "7"}) {
    const auto reply = say(body);
    EXPECT_EQ(reply.status, ReplyStatus::invalid) << body;
    EXPECT_NE(reply.body.find("error"), std::string::npos);
  }
  EXPECT_EQ(say(test::request("1", "tools/list")).status, ReplyStatus::invalid) << "before initialize";
  EXPECT_TRUE(heard().empty());
  EXPECT_EQ(client_->stream().answers_due(), 0U);
}

TEST_F(SseClientTest, AreLeftWhenTheyHaveTheirAnswers) {
  say(test::initialize("2024-11-05"));
  say(test::request("1", "tools/call", R"({"name":"add"})"));
  heard();
  clients_.shut_down();
  EXPECT_EQ(clients_.open(anonymous, {}), nullptr);
  EXPECT_FALSE(client_->stream().outbox().take().reply);
  plugin_->calls.front()->complete(Outcome::result, R"({"content":[]})");
  const auto content = client_->stream().outbox().take();
  EXPECT_EQ(content.messages.size(), 1U);
  EXPECT_TRUE(content.reply);
}

TEST_F(SseClientTest, AreAskedNothingMoreWhenTheServerStops) {
  say(test::request("0", "initialize",
                    R"({"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},)"
                    R"("clientInfo":{"name":"client","version":"1"}})"));
  say(test::initialized);
  say(test::request("1", "tools/call", R"({"name":"add"})"));
  plugin_->last_call().complete(Outcome::input_required, R"({"inputRequests":{"name":{"method":"elicitation/create",)"
                                                         R"("params":{"message":"Who?","requestedSchema":)"
                                                         R"({"type":"object","properties":{}}}}}})");
  EXPECT_NE(heard().back().find("elicitation/create"), std::string::npos);
  clients_.shut_down();
  const auto content = client_->stream().outbox().take();
  ASSERT_FALSE(content.messages.empty());
  EXPECT_NE(content.messages.back().find(R"("id":1,)"), std::string::npos) << content.messages.back();
  EXPECT_TRUE(content.reply) << "the stream ends, and does not wait for the client";
}

TEST_F(SseClientTest, AreRefusedMoreWhileTheyHaveNotReadWhatTheyAskedFor) {
  say(test::initialize("2024-11-05"));
  say(test::initialized);
  heard();
  const std::string result = R"({"content":[{"type":"text","text":")" + std::string(6 << 20, 'x') + R"("}]})";
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(say(test::request(std::to_string(i), "tools/call", R"({"name":"add"})")).status, ReplyStatus::accepted);
  for (const auto& call : plugin_->calls)
    call->complete(Outcome::result, result);
  const auto refused = say(test::request("13", "tools/call", R"({"name":"add"})"));
  EXPECT_EQ(refused.status, ReplyStatus::invalid);
  EXPECT_NE(refused.body.find("Too many requests are in flight"), std::string::npos) << refused.body;
  EXPECT_EQ(heard().size(), 12U) << "and all that they asked for is there";
  EXPECT_EQ(say(test::request("14", "ping")).status, ReplyStatus::accepted);
}

TEST_F(SseClientTest, AreToldThatTheirMessageIsTooLongAndSoIsTheCallThatWaitsForIt) {
  say(test::request("0", "initialize",
                    R"({"protocolVersion":"2024-11-05","capabilities":{"roots":{}},)"
                    R"("clientInfo":{"name":"client","version":"1"}})"));
  say(test::request("7", "tools/call", R"({"name":"add"})"));
  plugin_->last_call().complete(Outcome::input_required, test::asks_for_roots);
  heard();
  EXPECT_EQ(client_->refuse({{Message::Kind::response, "1"}, 4096, "--max-body-bytes"}).status, ReplyStatus::too_long);
  const auto messages = heard();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_NE(messages[0].find(R"("id":7,"result")"), std::string::npos) << messages[0];
  EXPECT_NE(messages[0].find("is longer than the 4096 bytes that --max-body-bytes allows"), std::string::npos);
}

// Its subscriptions and calls would not end with the stream.
TEST_F(SseClientTest, AreRefusedWhatIsOfTheModernEra) {
  for (const auto* method : {"subscriptions/listen", "tools/call", "server/discover"}) {
    EXPECT_EQ(say(test::modern_request("1", method, R"("name":"add","notifications":{},)")).status,
              ReplyStatus::accepted);
    const auto messages = heard();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_NE(messages[0].find(R"("id":1,"error":{"code":-32022,)"), std::string::npos) << messages[0];
    EXPECT_NE(messages[0].find(R"("requested":"2026-07-28")"), std::string::npos) << messages[0];
  }
  EXPECT_TRUE(plugin_->calls.empty());
  EXPECT_EQ(client_->stream().answers_due(), 0U);
}

TEST_F(SseClientTest, AreToldWhichRevisionTheyHaveAskedFor) {
  say(test::modern_request("1", "tools/list", "", "2030-01-01"));
  const auto messages = heard();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_NE(messages[0].find(R"("requested":"2030-01-01")"), std::string::npos) << messages[0];
}

TEST_F(SseClientTest, EndWithTheirStream) {
  say(test::initialize("2024-11-05"));
  say(test::request("1", "tools/call", R"({"name":"add"})"));
  heard();
  clients_.close(*client_);
  plugin_->calls.front()->complete(Outcome::result, R"({"content":[]})");
  EXPECT_TRUE(heard().empty());
}

TEST_F(SseClientTest, BeginNoCallWhoseAnswerNobodyCouldHear) {
  say(test::initialize("2024-11-05"));
  clients_.close(*client_);
  EXPECT_EQ(say(test::request("1", "tools/call", R"({"name":"add"})")).status, ReplyStatus::not_found);
  EXPECT_TRUE(plugin_->calls.empty());
  EXPECT_EQ(client_->stream().answers_due(), 0U);
}

}  // namespace
}  // namespace mcph
