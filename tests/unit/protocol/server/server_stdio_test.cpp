// What the protocol's front does with a line of standard input.
#include <chrono>

#include <gtest/gtest.h>

#include "limits/limits.hpp"
#include "protocol/server/server.hpp"
#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using test::initialize;
using test::modern_request;
using test::request;

class ServerStdioTest : public test::ServerFixture {
 protected:
  std::string answer_to(std::string_view text) {
    const auto exchange = line(text);
    EXPECT_EQ(exchange->replies().size(), 1U);
    return exchange->body();
  }
};

TEST_F(ServerStdioTest, RefusesALineThatIsNoMessage) {
  EXPECT_EQ(answer_to("hello").find(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: )"), 0U);
  EXPECT_EQ(
      answer_to(R"({"jsonrpc":"2.0","id":7,"method":1})"),
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request: \"method\" must be a string","data":{"details":"\"method\" must be a string"}}})");
}

TEST_F(ServerStdioTest, WantsInitializeOrModernMetaFirst) {
  EXPECT_EQ(
      answer_to(request("1", "tools/list")),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Not initialized: send initialize first, or a request with the _meta of revision 2026-07-28"}})");
  EXPECT_NE(answer_to(request("1", "resources/subscribe")).find(R"("code":-32600,"message":"Not initialized)"),
            std::string::npos);
}

// As over WebSocket, where no transport has counted it.
TEST_F(ServerStdioTest, CountsWhatIsNoRequestWhereEachMessageCounts) {
  const LimitSetting two{.rate = Rate{.count = 2, .period = std::chrono::hours(1)}};
  const SenderLimits limits(*Limits::create({.all = two}, Limits::steady_clock()), anonymous, "an address");
  const RequestContext context{.limits = &limits, .counted = false};
  const auto answer = [&](std::string_view text) {
    const auto exchange = std::make_shared<test::RecordingExchange>();
    server_.receive(text, stdio_, context, exchange);
    return exchange->body();
  };
  EXPECT_EQ(answer(test::initialized), "");
  EXPECT_NE(answer("hello").find(R"("code":-32700)"), std::string::npos);
  EXPECT_NE(answer("[]").find(R"("code":-32600)"), std::string::npos);
  const auto refused = answer(R"({"jsonrpc":"2.0","id":7,"method":1})");
  EXPECT_EQ(refused.find(R"({"jsonrpc":"2.0","id":7,"error":{"code":429,)"), 0U) << refused;
  EXPECT_NE(answer("hello").find(R"("code":429)"), std::string::npos);
  EXPECT_NE(answer("[]").find(R"("code":429)"), std::string::npos);
  EXPECT_EQ(answer(test::initialized), "");
}

// JSON.stringify writes half of an emoji where a text was cut within it.
TEST_F(ServerStdioTest, AnswersARequestThatIsNoUsableJsonByItsId) {
  constexpr auto half = R"("params":{"name":"echo","arguments":{"text":"\ud83d"}})";
  const auto answer = answer_to(R"({"jsonrpc":"2.0","id":7,"method":"tools/call",)" + std::string(half) + "}");
  EXPECT_EQ(answer.find(R"({"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"Parse error: )"), 0U) << answer;
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)" + std::string(half) + "}"), "");
}

TEST_F(ServerStdioTest, AnswersAPingBeforeInitialize) {
  EXPECT_EQ(answer_to(request("1", "ping")), R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(ServerStdioTest, SaysNothingToNotificationsAndResponses) {
  EXPECT_EQ(answer_to(test::initialized), "");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "");
  line(initialize("2025-11-25"));
  EXPECT_EQ(answer_to(test::initialized), "");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}})"), "");
}

TEST_F(ServerStdioTest, RefusesAMessageThatIsTooLongByItsId) {
  const auto answer_to_long = [&](Envelope envelope) {
    return Server::refuse_long({std::move(envelope), 4096, "--max-message-bytes"}, stdio_.session.get()).body;
  };
  EXPECT_EQ(
      answer_to_long({Message::Kind::request, "7"}),
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request: the message is longer than the 4096 bytes that --max-message-bytes allows"}})");
  const std::string without_id =
      R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the message is longer than the 4096 bytes that --max-message-bytes allows"}})";
  EXPECT_EQ(answer_to_long({}), without_id);
  EXPECT_EQ(answer_to_long({Message::Kind::notification}), without_id);
  EXPECT_EQ(answer_to_long({Message::Kind::response, "7"}), without_id) << "the id is the server's";
}

TEST_F(ServerStdioTest, EndsTheCallWhoseInputRequestHasAnAnswerThatIsTooLong) {
  line(request("0", "initialize",
               R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},)"
               R"("clientInfo":{"name":"client","version":"1"}})"));
  const auto call = line(request("7", "tools/call", R"({"name":"add"})"));
  const auto other = line(request("8", "tools/call", R"({"name":"add"})"));
  for (const auto& each : plugin_->calls)
    each->complete(Outcome::input_required, test::asks_for_roots);
  ASSERT_EQ(call->notifications().size(), 1U);
  const auto id = Json::parse(call->notifications().front())["id"].dump();
  Server::refuse_long({{Message::Kind::response, id}, 4096, "--max-message-bytes"}, stdio_.session.get());
  EXPECT_EQ(
      call->body(),
      R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"The client's answer to roots/list is longer than the 4096 bytes that --max-message-bytes allows"}],"isError":true}})");
  EXPECT_TRUE(other->replies().empty()) << "no other call ends";
  EXPECT_TRUE(stdio_.session->input_requests()->any());
}

TEST_F(ServerStdioTest, EndsTheCallWhoseInputRequestHasAnAnswerThatIsNoJson) {
  line(request("0", "initialize",
               R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},)"
               R"("clientInfo":{"name":"client","version":"1"}})"));
  const auto call = line(request("7", "tools/call", R"({"name":"add"})"));
  plugin_->calls[0]->complete(Outcome::input_required, test::asks_for_roots);
  ASSERT_EQ(call->notifications().size(), 1U);
  const auto id = Json::parse(call->notifications().front())["id"].dump();
  line(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"roots":[{"uri":"file:///\ud83d"}]}})");
  EXPECT_NE(call->body().find("The client's answer to roots/list is not valid JSON "), std::string::npos)
      << call->body();
}

// As a handler of the client's that returns nothing makes it.
TEST_F(ServerStdioTest, EndsTheCallWhoseInputRequestHasAnAnswerWithoutAResult) {
  line(request("0", "initialize",
               R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},)"
               R"("clientInfo":{"name":"client","version":"1"}})"));
  const auto call = line(request("1", "tools/call", R"({"name":"add"})"));
  plugin_->last_call().complete(Outcome::input_required, test::asks_for_roots);
  ASSERT_EQ(call->notifications().size(), 1U);
  const auto id = Json::parse(call->notifications().front())["id"].dump();
  const auto refusal = answer_to(R"({"jsonrpc":"2.0","id":)" + id + "}");
  EXPECT_EQ(refusal.find(R"({"jsonrpc":"2.0","error":{"code":-32600,)"), 0U)
      << "by that id the client would know a request of its own: " << refusal;
  EXPECT_NE(call->body().find("The client's answer to roots/list is no message: there is neither"), std::string::npos)
      << call->body();
}

TEST_F(ServerStdioTest, KeepsNoMoreForCallsThatWaitForTheirClientsThanItMay) {
  line(request("0", "initialize",
               R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},)"
               R"("clientInfo":{"name":"client","version":"1"}})"));
  const auto long_call = [&](const std::string& id) {
    auto exchange = line(request(
        id, "tools/call", R"({"name":"add","arguments":{"long":")" + std::string(std::size_t{10} << 20, 'x') + "\"}}"));
    plugin_->calls.back()->complete(Outcome::input_required, test::asks_for_roots);
    return exchange;
  };
  const auto first = long_call("1");
  for (const auto* const id : {"2", "3", "4", "5", "6"})
    EXPECT_TRUE(long_call(id)->replies().empty());
  EXPECT_EQ(
      long_call("7")->body(),
      R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"The server keeps as much as it may, 67108864 bytes, for calls that wait for their clients; try again later, or with less"}],"isError":true}})");
  const auto short_call = line(request("8", "tools/call", R"({"name":"add"})"));
  plugin_->calls.back()->complete(Outcome::input_required, test::asks_for_roots);
  EXPECT_TRUE(short_call->replies().empty());
  const auto asked = Json::parse(first->notifications().front())["id"].dump();
  line(R"({"jsonrpc":"2.0","id":)" + asked + R"(,"result":{"roots":[]}})");
  EXPECT_TRUE(long_call("9")->replies().empty());
}

// What they ask is kept, too, and so is what has been answered of it.
TEST_F(ServerStdioTest, CountsWhatIsAskedAndAnsweredOfCallsThatWait) {
  line(request("0", "initialize",
               R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{},"elicitation":{}},)"
               R"("clientInfo":{"name":"client","version":"1"}})"));
  const std::string long_text(std::size_t{20} << 20, 'x');
  const auto begin = [&](const std::string& id, const std::string& words) {
    auto exchange = line(request(id, "tools/call", R"({"name":"add"})"));
    plugin_->calls.back()->complete(
        Outcome::input_required,
        R"({"inputRequests":{"a":{"method":"roots/list"},"b":{"method":"elicitation/create","params":{"message":")" +
            words + R"(","requestedSchema":{"type":"object","properties":{}}}}}})");
    return exchange;
  };
  const auto first = begin("1", "short");
  const auto second = begin("2", long_text);
  const auto third = begin("3", long_text);
  EXPECT_TRUE(third->replies().empty());
  const auto asked = Json::parse(first->notifications().front())["id"].dump();
  line(R"({"jsonrpc":"2.0","id":)" + asked + R"(,"result":{"roots":[{"uri":"file:///)" + long_text + R"("}]}})");
  EXPECT_TRUE(first->replies().empty());
  EXPECT_NE(begin("4", long_text)->body().find("The server keeps as much as it may"), std::string::npos);
  second->abandon();
  EXPECT_TRUE(begin("5", long_text)->replies().empty());
}

TEST_F(ServerStdioTest, ServesALegacyClient) {
  EXPECT_EQ(
      answer_to(initialize("2025-06-18")).find(R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18")"),
      0U);
  EXPECT_EQ(answer_to(request("1", "resources/list")),
            R"({"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"notes://all","name":"all"}]}})");
}

TEST_F(ServerStdioTest, RefusesASecondInitialize) {
  line(initialize("2025-06-18"));
  EXPECT_EQ(answer_to(initialize("2025-11-25")),
            R"({"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"This client is initialized already"}})");
  EXPECT_EQ(stdio_.session->caller()->protocol_version, "2025-06-18");
}

TEST_F(ServerStdioTest, LetsAClientTryAgainAfterAnInitializeThatWasRefused) {
  EXPECT_EQ(
      answer_to(request("0", "initialize")),
      R"({"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"Invalid params: initialize needs the string protocolVersion"}})");
  EXPECT_EQ(answer_to(initialize("2025-06-18")).find(R"({"jsonrpc":"2.0","id":0,"result":)"), 0U);
}

TEST_F(ServerStdioTest, ServesAModernClientWithoutInitialize) {
  const auto answer = answer_to(modern_request("1", "prompts/list"));
  EXPECT_NE(answer.find(R"("prompts":[{"name":"review",)"), std::string::npos) << answer;
  EXPECT_EQ(answer_to(modern_request("2", "ping")),
            R"({"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found: ping"}})");
  EXPECT_EQ(
      answer_to(modern_request("3", "prompts/list", {}, "2030-01-01")),
      R"({"jsonrpc":"2.0","id":3,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2030-01-01","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}})");
}

TEST_F(ServerStdioTest, ServesBothErasInOneProcess) {
  line(initialize("2025-11-25"));
  EXPECT_NE(answer_to(modern_request("1", "tools/list")).find("resultType"), std::string::npos);
  EXPECT_EQ(answer_to(request("2", "tools/list")).find("resultType"), std::string::npos);
}

TEST_F(ServerStdioTest, TellsALegacyClientOfChangesOnItsOutput) {
  line(initialize("2025-11-25"));
  line(test::initialized);
  publish("{}");
  EXPECT_EQ(output_->messages,
            (std::vector<std::string>{R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})",
                                      R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})",
                                      R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed"})"}));
}

TEST_F(ServerStdioTest, TellsAModernClientOfNothingItDidNotAskFor) {
  line(modern_request("1", "tools/list"));
  publish("{}");
  EXPECT_TRUE(output_->messages.empty());
}

TEST_F(ServerStdioTest, CancelsALegacyRequest) {
  line(initialize("2025-11-25"));
  const auto call = line(request("5", "tools/call", R"({"name":"add"})"));
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})"), "");
  EXPECT_EQ(plugin_->last_call().cancelled(), CancelReason::client);
  EXPECT_EQ(call->body(), "");
}

TEST_F(ServerStdioTest, CancelsAModernRequest) {
  const auto call = line(modern_request("\"c\"", "tools/call", R"("name":"add",)"));
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}})"), "");
  EXPECT_EQ(plugin_->last_call().cancelled(), CancelReason::client);
  EXPECT_EQ(call->body(), "");
}

TEST_F(ServerStdioTest, EndsASubscriptionThatTheClientCancels) {
  const auto stream =
      line(modern_request("9", "subscriptions/listen", R"("notifications":{"toolsListChanged":true},)"));
  line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})");
  publish("{}");
  EXPECT_EQ(stream->notifications().size(), 1U);
}

TEST_F(ServerStdioTest, AnswersABatchOnlyInASessionThatHasThem) {
  const auto batch = "[" + request("1", "ping") + "]";
  constexpr auto refusal =
      R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: batches exist only in sessions of revision 2025-03-26; send one message at a time"}})";
  EXPECT_EQ(answer_to(batch), refusal);
  line(initialize("2025-03-26"));
  EXPECT_EQ(answer_to(batch), R"([{"jsonrpc":"2.0","id":1,"result":{}}])");
}

class StdioBatchTest : public ServerStdioTest {
 protected:
  // A call that asks the client, whose answer is then `answer_`.
  std::shared_ptr<test::RecordingExchange> asking_call() {
    line(request("0", "initialize",
                 R"({"protocolVersion":"2025-03-26","capabilities":{"roots":{}},)"
                 R"("clientInfo":{"name":"client","version":"1"}})"));
    auto call = line(request("7", "tools/call", R"({"name":"add"})"));
    plugin_->last_call().complete(Outcome::input_required, test::asks_for_roots);
    const auto id = Json::parse(call->notifications().front())["id"].dump();
    answer_ = R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"roots":[]}})";
    return call;
  }

  std::string answer_;
};

TEST_F(StdioBatchTest, HasItsRequestsRefusedOneByOneAndTheRestTaken) {
  const auto call = asking_call();
  stdio_.takes_requests = false;
  EXPECT_EQ(
      answer_to("[" + request("1", "ping") + "," + answer_ + "," + request("2", "ping") + "]"),
      R"([{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Too many requests are in flight; wait for answers, or cancel some"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Too many requests are in flight; wait for answers, or cancel some"}}])");
  EXPECT_EQ(plugin_->calls.size(), 2U) << "the call goes on with the answer";
  server_.close_streams();
  EXPECT_EQ(answer_to("[" + request("1", "ping") + "]"),
            R"([{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"This server is stopping"}}])");
}

TEST_F(StdioBatchTest, ThatIsTooLongHasEachOfItsRequestsRefused) {
  const auto call = asking_call();
  auto batch = "[" + answer_;
  for (int i = 0; i < 31; ++i)
    batch += "," + std::string(test::initialized);
  EXPECT_EQ(
      answer_to(batch + "," + request("1", "ping") + R"(,{"jsonrpc":"2.0","id":2,"method":1}])"),
      R"([{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: a batch has 1 to 32 messages"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid request: a batch has 1 to 32 messages"}}])");
  EXPECT_NE(call->body().find("The client's answer to roots/list is in a batch of more than 32 messages"),
            std::string::npos)
      << call->body();
  EXPECT_EQ(answer_to(batch + "," + std::string(test::initialized) + "]"),
            R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: a batch has 1 to 32 messages"}})");
}

}  // namespace
}  // namespace mcph
