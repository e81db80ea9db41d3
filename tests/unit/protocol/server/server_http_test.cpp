// What the protocol's front does with an HTTP request: sessions, statuses, and what each refusal says.
#include <chrono>
#include <ctime>

#include <gtest/gtest.h>

#include "protocol/server/server.hpp"
#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using test::initialize;
using test::modern_request;
using test::request;

class ServerHttpTest : public test::ServerFixture {
 protected:
  // The status and the body of the answer.
  static std::string answer(const test::RecordingExchange& exchange) {
    EXPECT_EQ(exchange.replies().size(), 1U);
    return std::to_string(exchange.status()) + " " + exchange.body();
  }
  std::string answer_to(std::string_view body, const HttpHead& head = {}) { return answer(*post(body, head)); }
};

constexpr auto no_session =
    R"(,"error":{"code":-32600,"message":"Missing Mcp-Session-Id header: send initialize first, then its session id with every request","data":{"reason":"missing_session_id"}}})";
constexpr auto ended_session =
    R"(,"error":{"code":-32600,"message":"Session not found: it has ended; send initialize for a new one","data":{"reason":"session_not_found"}}})";
constexpr auto no_batches =
    R"(400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: batches exist only in sessions of revision 2025-03-26; send one message at a time"}})";

TEST_F(ServerHttpTest, RefusesWhatIsNoJson) {
  const auto answer = answer_to("{");
  EXPECT_EQ(answer.find(R"(400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: )"), 0U) << answer;
}

TEST_F(ServerHttpTest, RefusesAMessageInWhichAKeyStandsTwice) {
  EXPECT_EQ(
      answer_to(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","name":"delete"}})"),
      R"(400 {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: not usable JSON: an object has the key \"name\" twice"}})");
}

TEST_F(ServerHttpTest, RefusesNestingThatIsTooDeep) {
  const auto answer = answer_to(std::string(100'000, '['));
  EXPECT_EQ(answer.find(R"(400 {"jsonrpc":"2.0","error":{"code":-32700,)"), 0U) << answer;
}

TEST_F(ServerHttpTest, RefusesWhatIsNoMessage) {
  EXPECT_EQ(answer_to("7"),
            R"(400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: a message is a JSON object"}})");
  EXPECT_EQ(
      answer_to(R"({"id":"x","method":"ping"})"),
      R"(400 {"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"Invalid request: \"jsonrpc\" must be \"2.0\""}})");
}

TEST_F(ServerHttpTest, OpensASessionWithInitialize) {
  const auto opened = post(initialize("2025-11-25"));
  EXPECT_EQ(opened->status(), 200U);
  EXPECT_FALSE(opened->field("Mcp-Session-Id").empty());
  const auto expiry = opened->field("X-Session-Expires-At");
  ASSERT_EQ(expiry.size(), std::string("2026-01-01T00:00:00Z").size());
  EXPECT_EQ(expiry.back(), 'Z');
  std::tm utc{};
  ASSERT_NE(::strptime(expiry.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc), nullptr);
  const auto day = std::chrono::system_clock::from_time_t(::timegm(&utc)) - std::chrono::system_clock::now();
  EXPECT_NEAR(std::chrono::duration<double>(day).count(), 24 * 3600, 60) << "by the time of day";
  EXPECT_EQ(answer_to(request("1", "ping"), in_session(opened->field("Mcp-Session-Id"))),
            R"(200 {"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(ServerHttpTest, OpensNoSessionForAnInitializeThatIsRefused) {
  EXPECT_EQ(post(request("0", "initialize"))->field("Mcp-Session-Id"), "");
}

TEST_F(ServerHttpTest, WantsTheSessionIdWithEveryLegacyMessage) {
  EXPECT_EQ(answer_to(request("1", "tools/list")), R"(400 {"jsonrpc":"2.0","id":1)" + std::string(no_session));
  EXPECT_EQ(answer_to(test::initialized), "400 {\"jsonrpc\":\"2.0\"" + std::string(no_session));
}

TEST_F(ServerHttpTest, SaysThatASessionHasEnded) {
  EXPECT_EQ(answer_to(request("1", "tools/list"), in_session("unknown")),
            R"(404 {"jsonrpc":"2.0","id":1)" + std::string(ended_session));
}

TEST_F(ServerHttpTest, RefusesALegacyRevisionThatItDoesNotKnow) {
  const auto session = open_session("2025-11-25");
  EXPECT_EQ(
      answer_to(request("1", "ping"),
                {.protocol_version = "2025-01-01", .method = {}, .name = {}, .session_id = session}),
      R"(400 {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version in the MCP-Protocol-Version header","data":{"requested":"2025-01-01","supported":["2026-07-28","2024-11-05","2025-03-26","2025-06-18","2025-11-25"]}}})");
  EXPECT_EQ(answer_to(request("1", "ping"),
                      {.protocol_version = "2025-11-25", .method = {}, .name = {}, .session_id = session}),
            R"(200 {"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(ServerHttpTest, AcceptsNotificationsAndResponsesWithoutABody) {
  const auto session = open_session("2025-11-25");
  EXPECT_EQ(answer_to(test::initialized, in_session(session)), "202 ");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"notifications/unheard_of"})", in_session(session)), "202 ");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","id":1,"result":{}})", in_session(session)), "202 ");
}

TEST_F(ServerHttpTest, CancelsARequestOfTheSameSessionOnly) {
  const auto mine = open_session("2025-11-25");
  const auto other = open_session("2025-11-25");
  const auto call = post(request("5", "tools/call", R"({"name":"add"})"), in_session(mine));
  constexpr auto cancel = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})";
  EXPECT_EQ(answer_to(cancel, in_session(other)), "202 ");
  EXPECT_EQ(plugin_->last_call().cancelled(), CancelReason::none);
  EXPECT_EQ(answer_to(cancel, in_session(mine)), "202 ");
  EXPECT_EQ(plugin_->last_call().cancelled(), CancelReason::client);
  EXPECT_EQ(answer(*call), "202 ");
}

TEST_F(ServerHttpTest, TellsIdsOfDifferentTypesApartWhenCancelling) {
  const auto session = open_session("2025-11-25");
  post(request("5", "tools/call", R"({"name":"add"})"), in_session(session));
  post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"5"}})", in_session(session));
  EXPECT_EQ(plugin_->last_call().cancelled(), CancelReason::none);
}

TEST_F(ServerHttpTest, SurvivesACancellationOfNothing) {
  const auto session = open_session("2025-11-25");
  for (const auto* params : {"{}", R"({"requestId":77})", R"({"requestId":null})"}) {
    EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)" + std::string(params) + "}",
                        in_session(session)),
              "202 ");
  }
}

TEST_F(ServerHttpTest, AdmitsAStreamToItsSessionOnly) {
  const auto id = open_session("2025-11-25");
  const auto admitted = server_.admit_stream(in_session(id));
  ASSERT_NE(admitted.session, nullptr);
  EXPECT_EQ(admitted.session->id(), id);
  EXPECT_EQ(admitted.refusal.status, 200U);

  const auto missing = server_.admit_stream({});
  EXPECT_EQ(missing.session, nullptr);
  EXPECT_EQ(missing.refusal.status, 400U);
  EXPECT_EQ(missing.refusal.body, "{\"jsonrpc\":\"2.0\"" + std::string(no_session));

  const auto unknown = server_.admit_stream(in_session("unknown"));
  EXPECT_EQ(unknown.refusal.status, 404U);
  EXPECT_EQ(unknown.refusal.body, "{\"jsonrpc\":\"2.0\"" + std::string(ended_session));
}

TEST_F(ServerHttpTest, HasNoStreamForTheModernEra) {
  const auto refused =
      server_.admit_stream({.protocol_version = "2026-07-28", .method = {}, .name = {}, .session_id = {}});
  EXPECT_EQ(refused.session, nullptr);
  EXPECT_EQ(refused.refusal.status, 405U);
  EXPECT_EQ(
      refused.refusal.body,
      R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Revision 2026-07-28 has no GET stream; send subscriptions/listen by POST"}})");
}

TEST_F(ServerHttpTest, EndsASession) {
  const auto id = open_session("2025-11-25");
  const auto stream = std::make_shared<test::RecordingStream>();
  server_.admit_stream(in_session(id)).session->attach(stream);
  EXPECT_EQ(server_.end_session(in_session(id)).status, 204U);
  EXPECT_TRUE(stream->closed);
  EXPECT_EQ(server_.end_session(in_session(id)).status, 404U);
  EXPECT_EQ(server_.end_session({}).status, 400U);
  EXPECT_EQ(answer_to(request("1", "ping"), in_session(id)),
            R"(404 {"jsonrpc":"2.0","id":1)" + std::string(ended_session));
}

TEST_F(ServerHttpTest, HasNoSessionOfTheModernEraToEnd) {
  const auto refused =
      server_.end_session({.protocol_version = "2026-07-28", .method = {}, .name = {}, .session_id = {}});
  EXPECT_EQ(refused.status, 405U);
  EXPECT_EQ(refused.body,
            R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Revision 2026-07-28 has no sessions"}})");
  const std::vector<std::pair<std::string, std::string>> allow = {{"Allow", "POST, OPTIONS, HEAD"}};
  EXPECT_EQ(refused.fields, allow);
}

TEST_F(ServerHttpTest, AdmitsNoStreamWhenItIsStopping) {
  const auto id = open_session("2025-11-25");
  server_.close_streams();
  const auto refused = server_.admit_stream(in_session(id));
  EXPECT_EQ(refused.session, nullptr);
  EXPECT_EQ(refused.refusal.status, 503U);
}

TEST_F(ServerHttpTest, ClosesTheStreamsOfItsSessions) {
  const auto stream = std::make_shared<test::RecordingStream>();
  const auto admitted = server_.admit_stream(in_session(open_session("2025-11-25")));
  admitted.session->attach(stream);
  server_.close_streams();
  EXPECT_TRUE(stream->closed);
}

TEST_F(ServerHttpTest, ServesAModernRequestWithoutASession) {
  const auto served = post_modern("tools/list");
  EXPECT_EQ(served->status(), 200U);
  EXPECT_EQ(served->field("Mcp-Session-Id"), "");
}

TEST_F(ServerHttpTest, KnowsAModernRequestByItsHeaderToo) {
  EXPECT_EQ(
      answer_to(request("1", "tools/list"),
                {.protocol_version = "2026-07-28", .method = "tools/list", .name = {}, .session_id = {}}),
      R"(400 {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params._meta must be an object"}})");
}

TEST_F(ServerHttpTest, RefusesAModernRequestWhoseHeadersDiffer) {
  EXPECT_EQ(
      answer_to(modern_request("1", "tools/list")),
      R"(400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch: the MCP-Protocol-Version header is missing"}})");
  EXPECT_EQ(
      answer_to(modern_request("1", "tools/list"),
                {.protocol_version = "2026-07-28", .method = "prompts/list", .name = {}, .session_id = {}}),
      R"(400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch: Mcp-Method header value 'prompts/list' does not match body value 'tools/list'"}})");
  EXPECT_EQ(
      answer_to(modern_request("1", "tools/call", R"("name":"add",)"),
                {.protocol_version = "2026-07-28", .method = "tools/call", .name = "sub", .session_id = {}}),
      R"(400 {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch: Mcp-Name header value 'sub' does not match body value 'add'"}})");
}

TEST_F(ServerHttpTest, RefusesAModernRevisionThatItDoesNotKnow) {
  EXPECT_EQ(
      answer_to(modern_request("1", "tools/list", {}, "2030-01-01"),
                {.protocol_version = "2030-01-01", .method = "tools/list", .name = {}, .session_id = {}}),
      R"(400 {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2030-01-01","supported":["2026-07-28"]}}})");
}

TEST_F(ServerHttpTest, AcceptsAModernNotificationWithoutABody) {
  EXPECT_EQ(
      answer_to(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{)" + test::modern_meta() + "}}",
                {.protocol_version = "2026-07-28", .method = "notifications/cancelled", .name = {}, .session_id = {}}),
      "202 ");
}

TEST_F(ServerHttpTest, AnswersABatchWithABatch) {
  const auto session = open_session("2025-03-26");
  EXPECT_EQ(answer_to("[" + request("1", "ping") + "," + std::string(test::initialized) + "," +
                          request("\"b\"", "ping") + R"(,{"jsonrpc":"2.0","id":3}])",
                      in_session(session)),
            R"(200 [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{}},)"
            R"({"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid request: there is neither a )"
            R"(\"method\" nor a \"result\" or \"error\""}}])");
}

TEST_F(ServerHttpTest, AcceptsABatchThatNeedsNoAnswer) {
  const auto session = open_session("2025-03-26");
  EXPECT_EQ(answer_to("[" + std::string(test::initialized) + R"(,{"jsonrpc":"2.0","id":1,"result":{}}])",
                      in_session(session)),
            "202 ");
}

TEST_F(ServerHttpTest, AnswersABatchWhenItsLastCallIsCompleted) {
  const auto session = open_session("2025-03-26");
  const auto batch = post("[" + request("1", "tools/call", R"({"name":"add"})") + "," + request("2", "ping") + "]",
                          in_session(session));
  EXPECT_TRUE(batch->replies().empty());
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  EXPECT_EQ(answer(*batch),
            R"(200 [{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{"content":[]}}])");
}

TEST_F(ServerHttpTest, CancelsEveryCallOfABatchThatTheClientAbandons) {
  const auto session = open_session("2025-03-26");
  const auto text = request("1", "tools/call", R"({"name":"add"})");
  const auto batch = post("[" + text + "," + text + "]", in_session(session));
  ASSERT_EQ(plugin_->calls.size(), 2U);
  batch->abandon();
  for (const auto& call : plugin_->calls)
    EXPECT_EQ(call->cancelled(), CancelReason::client);
}

TEST_F(ServerHttpTest, RefusesABatchWhereTheRevisionHasNone) {
  for (const auto* version : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    EXPECT_EQ(answer_to("[" + request("1", "ping") + "]", in_session(open_session(version))), no_batches);
  }
}

TEST_F(ServerHttpTest, RefusesABatchOfTheModernEra) {
  EXPECT_EQ(answer_to("[" + modern_request("1", "tools/list") + "]",
                      {.protocol_version = "2026-07-28", .method = {}, .name = {}, .session_id = {}}),
            no_batches);
}

TEST_F(ServerHttpTest, RefusesABatchWithoutASession) {
  EXPECT_EQ(post("[" + request("1", "ping") + "]")->status(), 400U);
  EXPECT_EQ(post("[" + request("1", "ping") + "]", in_session("unknown"))->status(), 404U);
}

TEST_F(ServerHttpTest, RefusesABatchThatIsEmptyOrTooLong) {
  constexpr auto refusal =
      R"(400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: a batch has 1 to 32 messages"}})";
  const auto session = open_session("2025-03-26");
  const auto batch_of = [](int count) {
    std::string batch = "[" + request("1", "ping");
    for (int i = 1; i < count; ++i)
      batch += "," + request("1", "ping");
    return batch + "]";
  };
  EXPECT_EQ(answer_to("[]", in_session(session)), refusal);
  EXPECT_EQ(answer_to(batch_of(33), in_session(session)), refusal);
  EXPECT_EQ(post(batch_of(32), in_session(session))->status(), 200U);
}

TEST_F(ServerHttpTest, RefusesInitializeInABatch) {
  EXPECT_EQ(
      answer_to("[" + initialize("2025-03-26") + "]", in_session(open_session("2025-03-26"))),
      R"(200 [{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"Invalid request: initialize cannot be part of a batch"}}])");
}

TEST_F(ServerHttpTest, EndsTheCallOfTheSessionWhoseQuestionHasAnAnswerThatIsTooLong) {
  const auto open = [&] {
    return post(request("0", "initialize",
                        R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},)"
                        R"("clientInfo":{"name":"client","version":"1"}})"))
        ->field("Mcp-Session-Id");
  };
  const auto mine = open();
  const auto others = open();
  const auto call = post(request("7", "tools/call", R"({"name":"add"})"), in_session(mine));
  plugin_->last_call().complete(Outcome::input_required, test::asks_for_roots);
  const LongMessage message{{Message::Kind::response, "1"}, 4096, "--max-body-bytes"};
  for (const auto& head : {in_session(others), in_session("made up"), HttpHead{}}) {
    EXPECT_EQ(server_.refuse_long_post(message, head).status, 413U);
    EXPECT_TRUE(call->replies().empty());
  }
  EXPECT_EQ(server_.refuse_long_post(message, in_session(mine)).status, 413U);
  EXPECT_NE(call->body().find("is longer than the 4096 bytes that --max-body-bytes allows"), std::string::npos);
}

class ServerSessionLimitTest : public test::ServerFixture {
 protected:
  ServerSessionLimitTest() : ServerFixture({}, {.count = 1}) {}
};

TEST_F(ServerSessionLimitTest, RefusesASessionWhenAllAreInUse) {
  const auto stream = std::make_shared<test::RecordingStream>();
  server_.admit_stream(in_session(open_session("2025-11-25"))).session->attach(stream);
  const auto refused = post(initialize("2025-11-25"));
  EXPECT_EQ(refused->status(), 503U);
  EXPECT_EQ(
      refused->body(),
      R"({"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Too many sessions are open; end one with DELETE or try again later","data":{"reason":"too_many_sessions"}}})");
}

}  // namespace
}  // namespace mcph
