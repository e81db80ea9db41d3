// What becomes of an HTTP request: which session it belongs to, and what each refusal says.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/principals.hpp"
#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using test::initialize;
using test::modern_request;
using test::request;
using ::testing::HasSubstr;

class McpEndpointTest : public test::ServerFixture {
 protected:
  // What became of the message, and the body of the answer.
  static std::string answer(const test::RecordingExchange& exchange) {
    EXPECT_EQ(exchange.replies().size(), 1U);
    return test::words(exchange.status()) + " " + exchange.body();
  }
  std::string answer_to(std::string_view body, const HttpHead& head = {}) { return answer(*post(body, head)); }
};

constexpr auto no_session =
    R"(,"error":{"code":-32600,"message":"Missing Mcp-Session-Id header: send initialize first, then its session id with every request, or a request with the _meta of revision 2026-07-28","data":{"details":"every request of a session names it in the header Mcp-Session-Id; this is an MCP endpoint: point an MCP client at it","reason":"missing_session_id"}}})";
constexpr auto ended_session =
    R"(,"error":{"code":-32600,"message":"Session not found: it has ended; send initialize for a new one","data":{"details":"no session has this id, or it was ended, or not used for too long","reason":"session_not_found"}}})";
constexpr auto no_batches =
    R"(invalid {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: batches exist only in sessions of revision 2025-03-26; send one message at a time"}})";

TEST_F(McpEndpointTest, RefusesWhatIsNoJson) {
  const auto answer = answer_to("{");
  EXPECT_EQ(answer.find(R"(invalid {"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: )"), 0U) << answer;
}

TEST_F(McpEndpointTest, RefusesAMessageInWhichAKeyStandsTwice) {
  EXPECT_EQ(
      answer_to(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","name":"delete"}})"),
      R"(invalid {"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"Parse error: not usable JSON: an object has the key \"name\" twice"}})");
}

TEST_F(McpEndpointTest, RefusesNestingThatIsTooDeep) {
  const auto answer = answer_to(std::string(100'000, '['));
  EXPECT_EQ(answer.find(R"(invalid {"jsonrpc":"2.0","error":{"code":-32700,)"), 0U) << answer;
}

TEST_F(McpEndpointTest, RefusesWhatIsNoMessage) {
  EXPECT_EQ(
      answer_to("7"),
      R"(invalid {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: a message is a JSON object","data":{"details":"a message is a JSON object"}}})");
  EXPECT_EQ(
      answer_to(R"({"id":"x","method":"ping"})"),
      R"(invalid {"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"Invalid request: \"jsonrpc\" must be \"2.0\"","data":{"details":"\"jsonrpc\" must be \"2.0\""}}})");
}

TEST_F(McpEndpointTest, OpensASessionWithInitialize) {
  const auto opened = post(initialize("2025-11-25"));
  EXPECT_EQ(opened->status(), ReplyStatus::answered);
  EXPECT_FALSE(opened->session().id.empty());
  const auto idle_time = opened->session().expiry - std::chrono::system_clock::now();
  EXPECT_LE(idle_time, std::chrono::hours(24));
  EXPECT_GT(idle_time, std::chrono::hours(23));
  EXPECT_EQ(answer_to(request("1", "ping"), in_session(opened->session().id)),
            R"(answered {"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(McpEndpointTest, OpensNoSessionForAnInitializeThatIsRefused) {
  EXPECT_EQ(post(request("0", "initialize"))->session().id, "");
}

TEST_F(McpEndpointTest, WantsTheSessionIdWithEveryLegacyMessage) {
  EXPECT_EQ(answer_to(request("1", "tools/list")), R"(invalid {"jsonrpc":"2.0","id":1)" + std::string(no_session));
  EXPECT_EQ(answer_to(test::initialized), "invalid {\"jsonrpc\":\"2.0\"" + std::string(no_session));
}

// Where sessions are optional, what needs none is served without one.
TEST_F(McpEndpointTest, ServesWhatNeedsNoSessionWithoutOne) {
  McpEndpoint endpoint(server_, true);
  const auto answer_of = [&](std::string_view body, const HttpHead& head = {}) {
    const auto exchange = std::make_shared<test::RecordingExchange>();
    endpoint.post(body, head, exchange);
    return answer(*exchange);
  };
  EXPECT_EQ(answer_of(request("1", "ping")), R"(answered {"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_THAT(answer_of(request("1", "tools/list")), HasSubstr(R"("name":"add")"));
  // The revision that a client speaks that says none.
  EXPECT_THAT(answer_of("[" + request("1", "ping") + "]"), HasSubstr(R"([{"jsonrpc":"2.0","id":1,"result":{}}])"));
  EXPECT_EQ(answer_of("[" + request("1", "ping") + "]", {.protocol_version = "2025-06-18"}),
            R"(invalid {"jsonrpc":"2.0")" + std::string(no_session));
  EXPECT_EQ(answer_of(test::initialized), "accepted ");
  EXPECT_EQ(answer_of(request("1", "resources/subscribe", R"({"uri":"memo://a"})")),
            R"(invalid {"jsonrpc":"2.0","id":1)" + std::string(no_session));
  EXPECT_EQ(answer_of(request("1", "ping"), in_session("unknown")),
            R"(not found {"jsonrpc":"2.0","id":1)" + std::string(ended_session));
}

TEST_F(McpEndpointTest, SaysThatASessionHasEnded) {
  EXPECT_EQ(answer_to(request("1", "tools/list"), in_session("unknown")),
            R"(not found {"jsonrpc":"2.0","id":1)" + std::string(ended_session));
}

TEST_F(McpEndpointTest, RefusesAResponseWithoutItsIdWhichIsTheHosts) {
  constexpr auto response = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  EXPECT_EQ(answer_to(response, in_session("unknown")), R"(not found {"jsonrpc":"2.0")" + std::string(ended_session));
  EXPECT_EQ(answer_to(response), R"(invalid {"jsonrpc":"2.0")" + std::string(no_session));
  const auto session = open_session("2025-11-25");
  const auto refusal =
      answer_to(response, {.protocol_version = "2025-01-01", .method = {}, .name = {}, .session_id = session});
  EXPECT_EQ(refusal.find(R"(invalid {"jsonrpc":"2.0","error":{"code":-32022,)"), 0U) << refusal;
}

TEST_F(McpEndpointTest, RefusesALegacyRevisionThatItDoesNotKnow) {
  const auto session = open_session("2025-11-25");
  EXPECT_EQ(
      answer_to(request("1", "ping"),
                {.protocol_version = "2025-01-01", .method = {}, .name = {}, .session_id = session}),
      R"(invalid {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version in the MCP-Protocol-Version header","data":{"requested":"2025-01-01","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}})");
  EXPECT_EQ(answer_to(request("1", "ping"),
                      {.protocol_version = "2025-11-25", .method = {}, .name = {}, .session_id = session}),
            R"(answered {"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(McpEndpointTest, AnswersInTheRevisionThatItsSessionHasSettledWhateverTheHeaderNames) {
  const auto session = open_session("2025-11-25");
  const auto revision = [&](std::string_view named, std::optional<std::string_view> id) {
    return endpoint_.revision_of({.protocol_version = named, .method = {}, .name = {}, .session_id = id});
  };
  EXPECT_EQ(revision("2025-06-18", session), "2025-11-25");
  EXPECT_EQ(revision("2025-06-18", std::nullopt), "2025-06-18");
  EXPECT_EQ(revision("2025-06-18", "unknown"), "2025-06-18");
  EXPECT_EQ(revision("2026-07-28", session), "2026-07-28") << "which has no sessions";
  EXPECT_EQ(endpoint_.revision_of(in_session(session)), "2025-11-25");
}

TEST_F(McpEndpointTest, AcceptsNotificationsAndResponsesWithoutABody) {
  const auto session = open_session("2025-11-25");
  EXPECT_EQ(answer_to(test::initialized, in_session(session)), "accepted ");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"notifications/unheard_of"})", in_session(session)), "accepted ");
  EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","id":1,"result":{}})", in_session(session)), "accepted ");
}

TEST_F(McpEndpointTest, CancelsARequestOfTheSameSessionOnly) {
  const auto mine = open_session("2025-11-25");
  const auto other = open_session("2025-11-25");
  const auto call = post(request("5", "tools/call", R"({"name":"add"})"), in_session(mine));
  constexpr auto cancel = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})";
  EXPECT_EQ(answer_to(cancel, in_session(other)), "accepted ");
  EXPECT_EQ(plugin_->last_call().cancelled(), CancelReason::none);
  EXPECT_EQ(answer_to(cancel, in_session(mine)), "accepted ");
  EXPECT_EQ(plugin_->last_call().cancelled(), CancelReason::client);
  EXPECT_EQ(answer(*call), "accepted ");
}

TEST_F(McpEndpointTest, TellsIdsOfDifferentTypesApartWhenCancelling) {
  const auto session = open_session("2025-11-25");
  post(request("5", "tools/call", R"({"name":"add"})"), in_session(session));
  post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"5"}})", in_session(session));
  EXPECT_EQ(plugin_->last_call().cancelled(), CancelReason::none);
}

TEST_F(McpEndpointTest, SurvivesACancellationOfNothing) {
  const auto session = open_session("2025-11-25");
  for (const auto* params : {"{}", R"({"requestId":77})", R"({"requestId":null})"}) {
    EXPECT_EQ(answer_to(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)" + std::string(params) + "}",
                        in_session(session)),
              "accepted ");
  }
}

TEST_F(McpEndpointTest, AdmitsAStreamToItsSessionOnly) {
  const auto id = open_session("2025-11-25");
  const auto admitted = endpoint_.admit_stream(in_session(id));
  ASSERT_NE(admitted.session, nullptr);
  EXPECT_EQ(admitted.session->id(), id);
  EXPECT_EQ(admitted.reply.status, ReplyStatus::answered);

  const auto missing = endpoint_.admit_stream({});
  EXPECT_EQ(missing.session, nullptr);
  EXPECT_EQ(missing.reply.status, ReplyStatus::invalid);
  EXPECT_EQ(missing.reply.body, "{\"jsonrpc\":\"2.0\"" + std::string(no_session));

  const auto unknown = endpoint_.admit_stream(in_session("unknown"));
  EXPECT_EQ(unknown.reply.status, ReplyStatus::not_found);
  EXPECT_EQ(unknown.reply.body, "{\"jsonrpc\":\"2.0\"" + std::string(ended_session));
}

TEST_F(McpEndpointTest, TellsThePluginWhichPrincipalCalls) {
  constexpr auto ada = R"({"principal":{"id":"test#ada","issuer":"test","subject":"ada"}})";
  HttpHead legacy;
  legacy.principal = test::principal("ada");
  const auto session = post(initialize("2025-11-25"), legacy)->session().id;
  legacy.session_id = session;
  post(request("1", "tools/call", R"({"name":"add"})"), legacy);
  EXPECT_EQ(plugin_->last_call().caller(), ada);

  HttpHead modern{.protocol_version = "2026-07-28", .method = "tools/call", .name = "add", .session_id = {}};
  post(modern_request("1", "tools/call", R"("name":"add",)"), modern);
  EXPECT_EQ(plugin_->last_call().caller(), "{}");
  modern.principal = test::principal("ada");
  post(modern_request("1", "tools/call", R"("name":"add",)"), modern);
  EXPECT_EQ(plugin_->last_call().caller(), ada);
}

// By every way that leads to one, with the id in hand.
TEST_F(McpEndpointTest, HasASessionForItsPrincipalOnly) {
  const auto by = [](const char* principal, std::string_view id = {}) {
    HttpHead head;
    if (!id.empty()) head.session_id = id;
    head.principal = test::principal(principal);
    return head;
  };
  const auto hers = post(initialize("2025-11-25"), by("ada"))->session().id;
  EXPECT_EQ(endpoint_.admit_stream(by("ada", hers)).session->caller()->principal, test::principal("ada"));
  const auto ended = R"(not found {"jsonrpc":"2.0","id":1)" + std::string(ended_session);
  for (const auto* const thief : {"eve", ""}) {
    const auto head = by(thief, hers);
    EXPECT_EQ(answer_to(request("1", "ping"), head), ended);
    EXPECT_EQ(endpoint_.admit_stream(head).session, nullptr);
    EXPECT_EQ(endpoint_.end_session(head).status, ReplyStatus::not_found);
  }
  EXPECT_EQ(answer_to(request("1", "ping"), by("ada", hers)), R"(answered {"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(McpEndpointTest, SaysWhatIsWrongWithANotificationToo) {
  EXPECT_EQ(
      answer_to(R"({"jsonrpc":"2.0","method":"notifications/x","params":[1]})"),
      R"(invalid {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: \"params\" must be an object","data":{"details":"\"params\" must be an object"}}})");
}

TEST_F(McpEndpointTest, HasNoStreamForTheModernEra) {
  const auto refused =
      endpoint_.admit_stream({.protocol_version = "2026-07-28", .method = {}, .name = {}, .session_id = {}});
  EXPECT_EQ(refused.session, nullptr);
  EXPECT_EQ(refused.reply.status, ReplyStatus::not_offered);
  EXPECT_EQ(
      refused.reply.body,
      R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Revision 2026-07-28 has no GET stream; send subscriptions/listen by POST"}})");
}

TEST_F(McpEndpointTest, EndsASession) {
  const auto id = open_session("2025-11-25");
  const auto stream = std::make_shared<test::RecordingStream>();
  endpoint_.admit_stream(in_session(id)).session->attach(stream);
  EXPECT_EQ(endpoint_.end_session(in_session(id)).status, ReplyStatus::ended);
  EXPECT_TRUE(stream->closed);
  EXPECT_EQ(endpoint_.end_session(in_session(id)).status, ReplyStatus::not_found);
  EXPECT_EQ(endpoint_.end_session({}).status, ReplyStatus::invalid);
  EXPECT_EQ(answer_to(request("1", "ping"), in_session(id)),
            R"(not found {"jsonrpc":"2.0","id":1)" + std::string(ended_session));
}

TEST_F(McpEndpointTest, HasNoSessionOfTheModernEraToEnd) {
  const auto refused =
      endpoint_.end_session({.protocol_version = "2026-07-28", .method = {}, .name = {}, .session_id = {}});
  EXPECT_EQ(refused.status, ReplyStatus::not_offered);
  EXPECT_EQ(refused.body,
            R"({"jsonrpc":"2.0","error":{"code":-32600,"message":"Revision 2026-07-28 has no sessions"}})");
}

TEST_F(McpEndpointTest, AdmitsNoStreamWhenItIsStopping) {
  const auto id = open_session("2025-11-25");
  server_.close_streams();
  const auto refused = endpoint_.admit_stream(in_session(id));
  EXPECT_EQ(refused.session, nullptr);
  EXPECT_EQ(refused.reply.status, ReplyStatus::unavailable);
}

TEST_F(McpEndpointTest, ClosesTheStreamsOfItsSessions) {
  const auto stream = std::make_shared<test::RecordingStream>();
  const auto admitted = endpoint_.admit_stream(in_session(open_session("2025-11-25")));
  admitted.session->attach(stream);
  server_.close_streams();
  EXPECT_TRUE(stream->closed);
}

TEST_F(McpEndpointTest, ServesAModernRequestWithoutASession) {
  const auto served = post_modern("tools/list");
  EXPECT_EQ(served->status(), ReplyStatus::answered);
  EXPECT_EQ(served->session().id, "");
}

TEST_F(McpEndpointTest, KnowsAModernRequestByItsHeaderToo) {
  EXPECT_EQ(
      answer_to(request("1", "tools/list"),
                {.protocol_version = "2026-07-28", .method = "tools/list", .name = {}, .session_id = {}}),
      R"(invalid {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params._meta must be an object with the string io.modelcontextprotocol/protocolVersion and the object io.modelcontextprotocol/clientCapabilities"}})");
}

TEST_F(McpEndpointTest, RefusesInitializeWithTheHeaderOfARevisionThatHasNone) {
  const HttpHead modern{.protocol_version = "2026-07-28", .method = "initialize", .name = {}, .session_id = {}};
  EXPECT_EQ(
      answer_to(initialize("2025-11-25"), modern),
      R"(invalid {"jsonrpc":"2.0","id":0,"error":{"code":-32020,"message":"Header mismatch: initialize is of revisions up to 2025-11-25, and the MCP-Protocol-Version header says 2026-07-28; leave the header out"}})");
  EXPECT_EQ(answer_to(modern_request("1", "initialize"), modern),
            R"(not found {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: initialize"}})");
}

TEST_F(McpEndpointTest, RefusesAModernRequestWhoseHeadersDiffer) {
  EXPECT_EQ(
      answer_to(modern_request("1", "tools/list")),
      R"(invalid {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch: the MCP-Protocol-Version header is missing"}})");
  EXPECT_EQ(
      answer_to(modern_request("1", "tools/list"),
                {.protocol_version = "2026-07-28", .method = "prompts/list", .name = {}, .session_id = {}}),
      R"(invalid {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch: Mcp-Method header value 'prompts/list' does not match body value 'tools/list'"}})");
  EXPECT_EQ(
      answer_to(modern_request("1", "tools/call", R"("name":"add",)"),
                {.protocol_version = "2026-07-28", .method = "tools/call", .name = "sub", .session_id = {}}),
      R"(invalid {"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch: Mcp-Name header value 'sub' does not match body value 'add'"}})");
}

TEST_F(McpEndpointTest, RefusesAModernRevisionThatItDoesNotKnow) {
  EXPECT_EQ(
      answer_to(modern_request("1", "tools/list", {}, "2030-01-01"),
                {.protocol_version = "2030-01-01", .method = "tools/list", .name = {}, .session_id = {}}),
      R"(invalid {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"2030-01-01","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}})");
}

TEST_F(McpEndpointTest, AcceptsAModernNotificationWithoutABody) {
  EXPECT_EQ(
      answer_to(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{)" + test::modern_meta() + "}}",
                {.protocol_version = "2026-07-28", .method = "notifications/cancelled", .name = {}, .session_id = {}}),
      "accepted ");
}

// Which headers it must have is left open (basic/transports/streamable-http, "Sending Messages").
TEST_F(McpEndpointTest, AcceptsAModernNotificationThatDoesNotSayItsVersionTwice) {
  const std::string notification = R"({"jsonrpc":"2.0","method":"notifications/x","params":{)";
  EXPECT_EQ(answer_to(notification + test::modern_meta() + "}}"), "accepted ");
  EXPECT_EQ(
      answer_to(notification + "}}", {.protocol_version = "2026-07-28", .method = {}, .name = {}, .session_id = {}}),
      "accepted ");
}

TEST_F(McpEndpointTest, RefusesAModernNotificationOfAnotherVersion) {
  const auto notification = [](const std::string& version) {
    return R"({"jsonrpc":"2.0","method":"notifications/x","params":{)" + test::modern_meta(version) + "}}";
  };
  EXPECT_EQ(
      answer_to(notification("2026-07-28"),
                {.protocol_version = "2025-11-25", .method = {}, .name = {}, .session_id = {}}),
      R"(invalid {"jsonrpc":"2.0","error":{"code":-32020,"message":"Header mismatch: MCP-Protocol-Version header value '2025-11-25' does not match body value '2026-07-28'"}})");
  EXPECT_EQ(
      answer_to(notification("1900-01-01"),
                {.protocol_version = "1900-01-01", .method = {}, .name = {}, .session_id = {}}),
      R"(invalid {"jsonrpc":"2.0","error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":"1900-01-01","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}})");
}

TEST_F(McpEndpointTest, AnswersABatchWithABatch) {
  const auto session = open_session("2025-03-26");
  EXPECT_EQ(answer_to("[" + request("1", "ping") + "," + std::string(test::initialized) + "," +
                          request("\"b\"", "ping") + R"(,{"jsonrpc":"1","id":3,"method":"ping"}])",
                      in_session(session)),
            R"(answered [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{}},)"
            R"({"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid request: \"jsonrpc\" must be )"
            R"(\"2.0\"","data":{"details":"\"jsonrpc\" must be \"2.0\""}}}])");
}

TEST_F(McpEndpointTest, AcceptsABatchThatNeedsNoAnswer) {
  const auto session = open_session("2025-03-26");
  EXPECT_EQ(answer_to("[" + std::string(test::initialized) + R"(,{"jsonrpc":"2.0","id":1,"result":{}}])",
                      in_session(session)),
            "accepted ");
}

TEST_F(McpEndpointTest, AnswersABatchWhenItsLastCallIsCompleted) {
  const auto session = open_session("2025-03-26");
  const auto batch = post("[" + request("1", "tools/call", R"({"name":"add"})") + "," + request("2", "ping") + "]",
                          in_session(session));
  EXPECT_TRUE(batch->replies().empty());
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  EXPECT_EQ(answer(*batch),
            R"(answered [{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":1,"result":{"content":[]}}])");
}

TEST_F(McpEndpointTest, CancelsEveryCallOfABatchThatTheClientAbandons) {
  const auto session = open_session("2025-03-26");
  const auto text = request("1", "tools/call", R"({"name":"add"})");
  const auto batch = post("[" + text + "," + text + "]", in_session(session));
  ASSERT_EQ(plugin_->calls.size(), 2U);
  batch->abandon();
  for (const auto& call : plugin_->calls)
    EXPECT_EQ(call->cancelled(), CancelReason::client);
}

TEST_F(McpEndpointTest, RefusesABatchWhereTheRevisionHasNone) {
  for (const auto* version : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    EXPECT_EQ(answer_to("[" + request("1", "ping") + "]", in_session(open_session(version))), no_batches);
  }
}

TEST_F(McpEndpointTest, RefusesABatchOfTheModernEra) {
  EXPECT_EQ(answer_to("[" + modern_request("1", "tools/list") + "]",
                      {.protocol_version = "2026-07-28", .method = {}, .name = {}, .session_id = {}}),
            no_batches);
}

TEST_F(McpEndpointTest, RefusesABatchWithoutASession) {
  EXPECT_EQ(post("[" + request("1", "ping") + "]")->status(), ReplyStatus::invalid);
  EXPECT_EQ(post("[" + request("1", "ping") + "]", in_session("unknown"))->status(), ReplyStatus::not_found);
}

TEST_F(McpEndpointTest, RefusesABatchThatIsEmptyOrTooLong) {
  constexpr auto refusal =
      R"(invalid {"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: a batch has 1 to 32 messages"}})";
  const auto session = open_session("2025-03-26");
  const auto batch_of = [](int count) {
    std::string batch = "[" + request("1", "ping");
    for (int i = 1; i < count; ++i)
      batch += "," + request("1", "ping");
    return batch + "]";
  };
  EXPECT_EQ(answer_to("[]", in_session(session)), refusal);
  EXPECT_EQ(answer_to(batch_of(33), in_session(session)), refusal);
  EXPECT_EQ(post(batch_of(32), in_session(session))->status(), ReplyStatus::answered);
}

TEST_F(McpEndpointTest, RefusesInitializeInABatch) {
  EXPECT_EQ(
      answer_to("[" + initialize("2025-03-26") + "]", in_session(open_session("2025-03-26"))),
      R"(answered [{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"Invalid request: initialize cannot be part of a batch"}}])");
}

TEST_F(McpEndpointTest, EndsTheCallOfTheSessionWhoseInputRequestHasAnAnswerThatIsTooLong) {
  const auto open = [&] {
    return post(request("0", "initialize",
                        R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},)"
                        R"("clientInfo":{"name":"client","version":"1"}})"))
        ->session()
        .id;
  };
  const auto mine = open();
  const auto others = open();
  const auto call = post(request("7", "tools/call", R"({"name":"add"})"), in_session(mine));
  plugin_->last_call().complete(Outcome::input_required, test::asks_for_roots);
  const LongMessage message{{Message::Kind::response, "1"}, 4096, "--max-body-bytes"};
  for (const auto& head : {in_session(others), in_session("made up"), HttpHead{}}) {
    EXPECT_EQ(endpoint_.refuse_long(message, head).status, ReplyStatus::too_long);
    EXPECT_TRUE(call->replies().empty());
  }
  EXPECT_EQ(endpoint_.refuse_long(message, in_session(mine)).status, ReplyStatus::too_long);
  EXPECT_NE(call->body().find("is longer than the 4096 bytes that --max-body-bytes allows"), std::string::npos);
}

class ServerSessionLimitTest : public test::ServerFixture {
 protected:
  ServerSessionLimitTest() : ServerFixture({}, {.count = 1}) {}
};

TEST_F(ServerSessionLimitTest, RefusesASessionWhenAllAreInUse) {
  const auto stream = std::make_shared<test::RecordingStream>();
  endpoint_.admit_stream(in_session(open_session("2025-11-25"))).session->attach(stream);
  const auto refused = post(initialize("2025-11-25"));
  EXPECT_EQ(refused->status(), ReplyStatus::unavailable);
  EXPECT_EQ(
      refused->body(),
      R"({"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Too many sessions are open; end one, or try again later","data":{"reason":"too_many_sessions"}}})");
}

}  // namespace
}  // namespace mcph
