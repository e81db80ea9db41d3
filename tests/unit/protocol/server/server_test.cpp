// What both transports share: which era a message belongs to, and how each revision words its answers. One session a
// revision over HTTP stands for stdio as well, which hands its messages to the same eras.
#include "protocol/server/server.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "protocol/request_meta.hpp"
#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using test::asks_for_roots;
using test::initialize;
using test::request;

class ServerTest : public test::ServerFixture {
 protected:
  std::string legacy(const std::string& version, const std::string& text) {
    return post(text, in_session(open_session(version)))->body();
  }
};

// An argument for each legacy revision.
class EveryLegacyRevision : public ServerTest, public ::testing::WithParamInterface<const char*> {
 protected:
  std::string answer(const std::string& text) { return legacy(GetParam(), text); }
};
INSTANTIATE_TEST_SUITE_P(Server, EveryLegacyRevision,
                         ::testing::Values("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"),
                         [](const auto& revision) {
                           std::string name(revision.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EveryLegacyRevision, IsNegotiatedAsAsked) {
  EXPECT_EQ(
      post(initialize(GetParam()))->body(),
      R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":")" + std::string(GetParam()) +
          R"(","capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},"logging":{},"completions":{},"extensions":{"io.modelcontextprotocol/ui":{}}},"serverInfo":{"name":"host","title":"Host","version":"1.0"},"instructions":"Adds."}})");
}

TEST_P(EveryLegacyRevision, HasItsMethods) {
  EXPECT_EQ(answer(request("1", "ping")), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(
      answer(request("1", "tools/list")),
      R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"add","inputSchema":{"type":"object","properties":{"a":{"type":"number"}}}}]}})");
  EXPECT_EQ(answer(request("1", "resources/list")),
            R"({"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"notes://all","name":"all"}]}})");
  EXPECT_EQ(
      answer(request("1", "resources/templates/list")),
      R"({"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"uriTemplate":"notes://{name}","name":"one"}]}})");
  EXPECT_EQ(
      answer(request("1", "prompts/list")),
      R"({"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"review","arguments":[{"name":"code","required":true}]}]}})");
}

TEST_P(EveryLegacyRevision, AnswersWithWhatThePluginAnswered) {
  plugin_->on_invoke = [](Call& call) {
    EXPECT_EQ(call.method(), PluginMethod::tools_call);
    EXPECT_EQ(call.params(), R"({"arguments":{"a":1},"name":"add"})");
    call.complete(Outcome::result, R"({"content":[{"type":"text","text":"2"}]})");
  };
  EXPECT_EQ(answer(request("1", "tools/call", R"({"name":"add","arguments":{"a":1},"_meta":{"x":1}})")),
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"2"}]}})");
}

TEST_P(EveryLegacyRevision, RefusesAnUnknownMethod) {
  EXPECT_EQ(answer(request("1", "tools/dance")),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: tools/dance"}})");
}

TEST_P(EveryLegacyRevision, HasNoMethodOfTheModernEra) {
  for (const auto* method : {"server/discover", "subscriptions/listen"}) {
    EXPECT_EQ(answer(request("1", method)),
              R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: )" + std::string(method) +
                  R"("}})");
  }
}

TEST_P(EveryLegacyRevision, RefusesAnUnknownTool) {
  EXPECT_EQ(answer(request("1", "tools/call", R"({"name":"sub"})")),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: sub"}})");
}

TEST_P(EveryLegacyRevision, RefusesAnUnknownPrompt) {
  EXPECT_EQ(answer(request("1", "prompts/get", R"({"name":"ask"})")),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown prompt: ask"}})");
}

TEST_P(EveryLegacyRevision, RefusesAnUnknownResourceWithACodeOfItsOwn) {
  EXPECT_EQ(
      answer(request("1", "resources/read", R"({"uri":"a://b"})")),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found: a://b","data":{"uri":"a://b"}}})");
}

// A plugin is asked in one form of the URI, and its client knows the URI in its own.
TEST_P(EveryLegacyRevision, NamesAResourceThatAPluginDoesNotFindAsItWasAskedFor) {
  const auto answered = [&](const std::string& asked, const std::string& found) {
    plugin_->on_invoke = [&](Call& call) {
      call.complete(Outcome::error, R"({"code":-32002,"message":"no","data":{"uri":")" + found + R"("}})");
    };
    return answer(request("1", "resources/read", R"({"uri":")" + asked + R"("})"));
  };
  const auto naming = [](const std::string& uri) {
    return R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"no","data":{"uri":")" + uri + R"("}}})";
  };
  EXPECT_EQ(answered("notes://é", "notes://%C3%A9"), naming("notes://é"));
  EXPECT_EQ(answered("notes://%c3%a9", "notes://%C3%A9"), naming("notes://%c3%a9"));
  EXPECT_EQ(answered("notes://é", "notes://another"), naming("notes://another"));
}

TEST_P(EveryLegacyRevision, RefusesMalformedParams) {
  EXPECT_EQ(answer(request("1", "tools/call")),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params.name must be a string"}})");
  EXPECT_EQ(
      answer(request("1", "prompts/get", R"({"name":"review"})")),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Prompt review needs the argument \"code\""}})");
}

TEST_P(EveryLegacyRevision, RefusesMetaThatIsTooLong) {
  const auto meta = [](std::size_t bytes) { return R"({"_meta":{"a":")" + std::string(bytes - 8, 'x') + R"("}})"; };
  EXPECT_EQ(answer(request("1", "ping", meta(max_meta_bytes))), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(answer(request("1", "ping", meta(max_meta_bytes + 1))),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params._meta has 65537 )"
            R"(bytes, and may have 65536"}})");
}

TEST_P(EveryLegacyRevision, RefusesABadCursor) {
  EXPECT_EQ(
      answer(request("1", "tools/list", R"({"cursor":"x"})")),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid cursor: the cursor is not one that this list gave out; ask without a cursor for the first page"}})");
  EXPECT_EQ(answer(request("1", "tools/list", R"({"cursor":7})")),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid cursor: a cursor is a string"}})");
}

TEST_P(EveryLegacyRevision, PassesOnThePluginsError) {
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::error, R"({"code":-32002,"message":"No such note"})"); };
  EXPECT_EQ(answer(request("1", "resources/read", R"({"uri":"notes://x"})")),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"No such note"}})");
}

TEST_P(EveryLegacyRevision, AsksTheClientAndCallsThePluginAgainWithTheAnswer) {
  const auto opened = post(request("0", "initialize",
                                   R"({"protocolVersion":")" + std::string(GetParam()) +
                                       R"(","capabilities":{"roots":{}},"clientInfo":{"name":"c","version":"1"}})"));
  const auto session = opened->session().id;
  plugin_->on_invoke = [](Call& call) {
    if (call.params().find("inputResponses") == std::string::npos) {
      return call.complete(Outcome::input_required, asks_for_roots);
    }
    EXPECT_EQ(call.params(), R"({"arguments":{},"name":"add","inputResponses":{"a":{"roots":[]}}})");
    call.complete(Outcome::result, R"({"content":[]})");
  };
  const auto call = post(request("7", "tools/call", R"({"name":"add"})"), in_session(session));
  EXPECT_EQ(call->notifications(),
            std::vector<std::string>{R"({"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}})"});
  EXPECT_TRUE(call->replies().empty());
  const auto answer = post(R"({"jsonrpc":"2.0","id":1,"result":{"roots":[]}})", in_session(session));
  EXPECT_EQ(answer->status(), ReplyStatus::accepted);
  EXPECT_EQ(call->body(), R"({"jsonrpc":"2.0","id":7,"result":{"content":[]}})");
}

TEST_P(EveryLegacyRevision, SaysThatAClientWithoutTheCapabilityCannotBeAsked) {
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::input_required, asks_for_roots); };
  constexpr auto why = R"(This needs client capabilities that this client does not declare: {\"roots\":{}})";
  EXPECT_EQ(answer(request("1", "tools/call", R"({"name":"add"})")),
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":")" + std::string(why) +
                R"("}],"isError":true}})");
  EXPECT_EQ(answer(request("1", "resources/read", R"({"uri":"notes://all"})")),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":")" + std::string(why) + R"("}})");
}

TEST_P(EveryLegacyRevision, LetsNoClientSpeakForItself) {
  plugin_->on_invoke = [](Call& call) {
    EXPECT_EQ(call.params(), R"({"arguments":{},"name":"add"})");
    call.complete(Outcome::result, R"({"content":[]})");
  };
  answer(request("1", "tools/call", R"({"name":"add","inputResponses":{"a":{}},"requestState":"x"})"));
}

TEST_F(ServerTest, EndsWhatIsAskedWithTheSession) {
  const auto opened = post(
      request("0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{}})"));
  const auto session = opened->session().id;
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::input_required, asks_for_roots); };
  const auto call = post(request("7", "tools/call", R"({"name":"add"})"), in_session(session));
  endpoint_.end_session(in_session(session));
  EXPECT_EQ(
      call->body(),
      R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"The session has ended"}],"isError":true}})");
}

TEST_F(ServerTest, GivesUpAPluginThatAsksAgainAndAgain) {
  const auto opened = post(
      request("0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{}})"));
  const auto session = opened->session().id;
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::input_required, asks_for_roots); };
  const auto call = post(request("7", "tools/call", R"({"name":"add"})"), in_session(session));
  for (int id = 1; id <= 32; ++id)
    post(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{"roots":[]}})", in_session(session));
  EXPECT_EQ(
      call->body(),
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Plugin sums answered tools/call of add with something invalid: it asked the client more than 32 times"}})");
}

TEST_F(ServerTest, RefusesInvalidArgumentsByCodeUntil20250618) {
  const auto text = request("1", "tools/call", R"({"name":"add","arguments":{"a":"x"}})");
  for (const auto* version : {"2024-11-05", "2025-03-26", "2025-06-18"}) {
    const auto answer = legacy(version, text);
    EXPECT_EQ(
        answer.find(
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid arguments for tool add: \"a\" )"),
        0U)
        << answer;
  }
  EXPECT_TRUE(plugin_->calls.empty());
}

TEST_F(ServerTest, RefusesInvalidArgumentsByAToolErrorFrom20251125On) {
  const auto arguments = R"("name":"add","arguments":{"a":"x"})";
  const auto legacy_answer = legacy("2025-11-25", request("1", "tools/call", "{" + std::string(arguments) + "}"));
  EXPECT_EQ(
      legacy_answer.find(
          R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Invalid arguments for tool add: \"a\" )"),
      0U)
      << legacy_answer;
  EXPECT_NE(legacy_answer.find(R"("isError":true)"), std::string::npos);

  const auto modern_answer = post_modern("tools/call", std::string(arguments) + ",", "add")->body();
  EXPECT_NE(modern_answer.find(R"("content":[{"type":"text","text":"Invalid arguments for tool add: \"a\" )"),
            std::string::npos)
      << modern_answer;
  EXPECT_NE(modern_answer.find(R"("isError":true)"), std::string::npos);
  EXPECT_TRUE(plugin_->calls.empty());
}

TEST_F(ServerTest, OffersItsNewestLegacyRevisionToAClientOfAnUnknownOne) {
  for (const auto* version : {"1999-01-01", "2027-01-01", "2026-07-28", ""}) {
    EXPECT_EQ(
        post(initialize(version))->body().find(R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25",)"),
        0U);
  }
}

TEST_F(ServerTest, RefusesAnInitializeThatSaysNoRevision) {
  EXPECT_EQ(
      post(request("0", "initialize"))->body(),
      R"({"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"Invalid params: initialize needs the string protocolVersion"}})");
  EXPECT_EQ(
      post(request("0", "initialize", R"({"protocolVersion":"2025-11-25","capabilities":[]})"))->body(),
      R"({"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"Invalid params: capabilities must be an object"}})");
}

TEST_F(ServerTest, TakesWhatAnOlderRevisionDoesNotHaveOutOfAResult) {
  plugin_->on_invoke = [](Call& call) {
    call.complete(Outcome::result, R"({"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]})");
  };
  const auto text = request("1", "tools/call", R"({"name":"add"})");
  EXPECT_EQ(
      legacy("2024-11-05", text),
      R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"[audio, audio/wav: this client's protocol revision has no audio]","type":"text"}]}})");
  EXPECT_EQ(legacy("2025-03-26", text),
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}})");
}

TEST_F(ServerTest, WritesOneLineWhateverThePluginWrote) {
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::result, "{\n  \"content\": []\r\n}"); };
  EXPECT_EQ(legacy("2025-11-25", request("1", "tools/call", R"({"name":"add"})")),
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_EQ(post_modern("tools/call", R"("name":"add",)", "add")->body().find_first_of("\r\n"), std::string::npos);
}

TEST_F(ServerTest, DiscoversItselfToAModernClient) {
  EXPECT_EQ(
      post_modern("server/discover")->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"}},"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},"logging":{},"completions":{},"extensions":{"io.modelcontextprotocol/tasks":{},"io.modelcontextprotocol/ui":{}}},"ttlMs":5000,"cacheScope":"public","instructions":"Adds."}})");
}

TEST_F(ServerTest, ListsToAModernClientWithFreshness) {
  EXPECT_EQ(
      post_modern("prompts/list")->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"}},"ttlMs":5000,"cacheScope":"public","prompts":[{"name":"review","arguments":[{"name":"code","required":true}]}]}})");
}

TEST_F(ServerTest, AnswersAModernCallWithWhatThePluginAnswered) {
  plugin_->on_invoke = [](Call& call) {
    EXPECT_EQ(call.params(), R"({"arguments":{},"name":"add"})");
    call.complete(Outcome::result, R"({"content":[]})");
  };
  EXPECT_EQ(
      post_modern("tools/call", R"("name":"add",)", "add")->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"}},"content":[]}})");
}

TEST_F(ServerTest, KeepsTheMetaOfAModernResult) {
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::result, R"({"content":[],"_meta":{"own":1}})"); };
  EXPECT_EQ(
      post_modern("tools/call", R"("name":"add",)", "add")->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"},"own":1},"content":[],"resultType":"complete"}})");
}

TEST_F(ServerTest, SaysHowLongAModernClientMayKeepAResource) {
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::result, R"({"contents":[]})"); };
  EXPECT_EQ(
      post_modern("resources/read", R"("uri":"notes://all",)", "notes://all")->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"}},"ttlMs":0,"cacheScope":"private","contents":[]}})");
  plugin_->on_invoke = [](Call& call) {
    call.complete(Outcome::result, R"({"contents":[],"ttlMs":7,"cacheScope":"public"})");
  };
  EXPECT_EQ(
      post_modern("resources/read", R"("uri":"notes://all",)", "notes://all")->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"}},"contents":[],"ttlMs":7,"cacheScope":"public"}})");
}

TEST_F(ServerTest, RefusesWhatAModernClientAsksForWithTheErasCodes) {
  const auto unknown_tool = post_modern("tools/call", R"("name":"sub",)", "sub");
  EXPECT_EQ(unknown_tool->body(), R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: sub"}})");
  EXPECT_EQ(unknown_tool->status(), ReplyStatus::answered);
  EXPECT_EQ(post_modern("prompts/get", R"("name":"ask",)", "ask")->body(),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown prompt: ask"}})");
  EXPECT_EQ(
      post_modern("resources/read", R"("uri":"a://b",)", "a://b")->body(),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Resource not found: a://b","data":{"uri":"a://b"}}})");
  EXPECT_EQ(
      post_modern("tools/list", R"("cursor":"x",)")->body(),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid cursor: the cursor is not one that this list gave out; ask without a cursor for the first page"}})");
}

TEST_F(ServerTest, ReplacesErrorCodesOfAPluginThatTheModernEraForbids) {
  const auto code_after = [this](const std::string& code) {
    plugin_->on_invoke = [code](Call& call) {
      call.complete(Outcome::error, R"({"code":)" + code + R"(,"message":"m"})");
    };
    const auto body = post_modern("tools/call", R"("name":"add",)", "add")->body();
    const auto begin = body.find(R"("code":)") + 7;
    return body.substr(begin, body.find(',', begin) - begin);
  };
  EXPECT_EQ(code_after("-32002"), "-32602");
  EXPECT_EQ(code_after("-32050"), "-32603");
  EXPECT_EQ(code_after("-32099"), "-32603");
  EXPECT_EQ(code_after("-32021"), "-32603");
  EXPECT_EQ(code_after("-32000"), "-32000");
  EXPECT_EQ(code_after("7"), "7");
}

TEST_F(ServerTest, AnswersAModernRequestWithWrongMetaAsInvalid) {
  const HttpHead head{.protocol_version = "2026-07-28", .method = "tools/list", .name = {}, .session_id = {}};
  const auto params = [](const std::string& more) {
    return R"({"_meta":{"progressToken":true)" + more + R"(,"io.modelcontextprotocol/clientCapabilities":{}}})";
  };
  for (const auto* const version : {"", R"(,"io.modelcontextprotocol/protocolVersion":"2026-07-28")"}) {
    const auto answer = post(test::request("1", "tools/list", params(version)), head);
    EXPECT_EQ(answer->status(), ReplyStatus::invalid) << version;
    EXPECT_EQ(Json::parse(answer->body())["error"]["code"], error_code::invalid_params) << version;
  }
}

TEST_F(ServerTest, HasNoLegacyMethodForAModernClient) {
  for (const auto* method : {"ping", "initialize", "logging/setLevel", "tools/dance"}) {
    const auto answer = post_modern(method);
    EXPECT_EQ(answer->status(), ReplyStatus::not_found);
    EXPECT_EQ(answer->body(), R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: )" +
                                  std::string(method) + R"("}})");
  }
}

TEST_F(ServerTest, ListensForAModernClientUntilItCloses) {
  const auto stream = post_modern("subscriptions/listen", R"("notifications":{"toolsListChanged":true},)");
  EXPECT_EQ(stream->notifications().size(), 1U);
  publish("{}");
  ASSERT_EQ(stream->notifications().size(), 2U);
  EXPECT_EQ(
      stream->notifications()[1],
      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}})");
  EXPECT_TRUE(stream->replies().empty());
  server_.close_streams();
  EXPECT_EQ(
      stream->body(),
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1,"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"}}}})");
}

TEST_F(ServerTest, EndsASubscriptionThatComesWhenItIsStoppingAtOnce) {
  server_.close_streams();
  const auto stream = post_modern("subscriptions/listen", R"("notifications":{},)");
  EXPECT_EQ(stream->notifications().size(), 1U);
  EXPECT_FALSE(stream->replies().empty());
}

TEST_F(ServerTest, RefusesToListenWithoutAFilter) {
  EXPECT_EQ(
      post_modern("subscriptions/listen")->body(),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: params.notifications must be an object"}})");
}

TEST_F(ServerTest, ServesBothErasSideBySide) {
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::result, R"({"content":[]})"); };
  const auto session = open_session("2025-06-18");
  const auto stream = post_modern("subscriptions/listen", R"("notifications":{"promptsListChanged":true},)");
  const auto text = request("1", "tools/call", R"({"name":"add"})");
  EXPECT_EQ(post(text, in_session(session))->body(), R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_NE(post_modern("tools/call", R"("name":"add",)", "add")->body().find("resultType"), std::string::npos);
  EXPECT_EQ(post(text, in_session(session))->body(), R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");

  const auto output = std::make_shared<test::RecordingStream>();
  endpoint_.admit_stream(in_session(session)).session->attach(output);
  publish("{}");
  EXPECT_EQ(output->messages.size(), 3U);
  EXPECT_EQ(stream->notifications().size(), 2U);
}

class ServerPagingTest : public test::ServerFixture {
 protected:
  ServerPagingTest() : ServerFixture({.page_size = 2}) {}
};

TEST_F(ServerPagingTest, ReadsAListPageByPageInBothEras) {
  publish(test::tools(test::tool("a") + "," + test::tool("b") + "," + test::tool("c")));
  const auto session = open_session("2025-11-25");
  const auto first = post(request("1", "tools/list"), in_session(session))->body();
  EXPECT_EQ(first, R"({"jsonrpc":"2.0","id":1,"result":{"tools":[)" + test::tool("a") + "," + test::tool("b") +
                       R"(],"nextCursor":"dG9vbHM6Yg"}})");
  EXPECT_EQ(post(request("2", "tools/list", R"({"cursor":"dG9vbHM6Yg"})"), in_session(session))->body(),
            R"({"jsonrpc":"2.0","id":2,"result":{"tools":[)" + test::tool("c") + "]}}");
  const auto modern = post_modern("tools/list", R"("cursor":"dG9vbHM6Yg",)")->body();
  EXPECT_NE(modern.find(R"("tools":[)" + test::tool("c") + "]}"), std::string::npos) << modern;
}

}  // namespace
}  // namespace mcph
