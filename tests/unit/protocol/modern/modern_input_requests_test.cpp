// What a plugin asks a client of revision 2026-07-28: the input requests are the result of its request, and it comes
// back with the answers.
#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "limits/limits.hpp"
#include "protocol/calls/input_requests.hpp"
#include "protocol/state/returned_answers.hpp"
#include "support/principals.hpp"
#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using test::asks_for_roots;
using test::request;

class ModernInputRequests : public test::ServerFixture {
 protected:
  ModernInputRequests() {
    plugin_->on_invoke = [](Call& call) {
      if (call.params().find("inputResponses") == std::string::npos) {
        return call.complete(Outcome::input_required, asks_for_roots);
      }
      call.complete(Outcome::result, R"({"content":[]})");
    };
  }

  // `members` are those of the params besides name and _meta, each followed by a comma.
  std::shared_ptr<test::RecordingExchange> call(const std::string& members = {}, const std::string& name = "add",
                                                const std::string& capabilities = R"({"roots":{}})") {
    const HttpHead head{.protocol_version = "2026-07-28",
                        .method = "tools/call",
                        .name = name,
                        .session_id = {},
                        .limits = sender_limits_.get()};
    return post(request("1", "tools/call",
                        R"({"name":")" + name + R"(",)" + members + R"("_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientCapabilities":)" +
                            capabilities + "}}"),
                head);
  }
  std::string state() { return Json::parse(call()->body())["result"]["requestState"].get<std::string>(); }
  static std::string returned(const std::string& responses, const std::string& state) {
    return R"("inputResponses":)" + responses + R"(,"requestState":")" + state + R"(",)";
  }
  static std::string message(const test::RecordingExchange& exchange) {
    return Json::parse(exchange.body())["error"]["message"].get<std::string>();
  }
  // Of the tool "add", so many calls an hour.
  void limit(std::uint64_t count) {
    const LimitSetting setting{.rate = Rate{.count = count, .period = std::chrono::hours(1)}};
    const auto limits =
        *Limits::create({.components = {{"adds", {.match = "tool:add", .limit = setting}}}}, Limits::steady_clock());
    sender_limits_ = std::make_unique<SenderLimits>(limits, anonymous, "an address");
  }

  std::unique_ptr<const SenderLimits> sender_limits_;  // null: there are none
};

TEST_F(ModernInputRequests, AreTheResultWithWhatTheServerMustKnowLater) {
  const auto asked = call();
  EXPECT_EQ(asked->status(), ReplyStatus::answered);
  auto result = OrderedJson::parse(asked->body())["result"];
  EXPECT_TRUE(result["requestState"].is_string());
  result.erase("requestState");
  EXPECT_EQ(
      result.dump(),
      R"({"resultType":"input_required","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"host","title":"Host","version":"1.0"}},"inputRequests":{"a":{"method":"roots/list","params":{}}}})");
}

TEST_F(ModernInputRequests, AreNotForAClientThatCannotAnswerThem) {
  const auto asked = call({}, "add", "{}");
  EXPECT_EQ(asked->status(), ReplyStatus::invalid);
  EXPECT_EQ(
      asked->body(),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"This request requires the client capability \"roots\"","data":{"requiredCapabilities":{"roots":{}}}}})");
}

TEST_F(ModernInputRequests, AskForContextOnlyWhoDeclaresIt) {
  plugin_->on_invoke = [](Call& call) {
    call.complete(Outcome::input_required, R"({"inputRequests":{"a":{"method":"sampling/createMessage","params":)"
                                           R"({"messages":[],"includeContext":"thisServer","maxTokens":1}}}})");
  };
  const auto is_asked = [this](const std::string& sampling) {
    const auto result = Json::parse(call({}, "add", R"({"sampling":)" + sampling + "}")->body())["result"];
    EXPECT_EQ(result["inputRequests"]["a"]["params"]["maxTokens"], 1) << result;
    return result["inputRequests"]["a"]["params"].contains("includeContext");
  };
  EXPECT_FALSE(is_asked("{}"));
  EXPECT_TRUE(is_asked(R"({"context":{}})"));
}

// The revision has no such field (changelog).
TEST_F(ModernInputRequests, HaveNoIdOfAPage) {
  plugin_->on_invoke = [](Call& call) {
    call.complete(Outcome::input_required,
                  R"({"inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","message":"?",)"
                  R"("url":"https://a.test/x","elicitationId":"1"}}}})");
  };
  const auto result = OrderedJson::parse(call({}, "add", R"({"elicitation":{"url":{}}})")->body())["result"];
  EXPECT_EQ(result["inputRequests"]["a"]["params"].dump(), R"({"mode":"url","message":"?","url":"https://a.test/x"})")
      << result;
}

// What its client was asked for went into it (server/utilities/caching).
TEST_F(ModernInputRequests, MakeAResourceThatNobodyMayKeep) {
  plugin_->on_invoke = [](Call& call) {
    if (call.params().find("inputResponses") == std::string_view::npos)
      return call.complete(Outcome::input_required, asks_for_roots);
    call.complete(Outcome::result, R"({"contents":[],"ttlMs":60000,"cacheScope":"public"})");
  };
  const auto read = [this](const std::string& members) {
    const HttpHead head{
        .protocol_version = "2026-07-28", .method = "resources/read", .name = "notes://all", .session_id = {}};
    const auto params = R"({"uri":"notes://all",)" + members + R"("_meta":{
      "io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientCapabilities":{"roots":{}}}})";
    return Json::parse(post(request("1", "resources/read", params), head)->body())["result"];
  };
  const auto asked = read("");
  ASSERT_EQ(asked["resultType"], "input_required") << asked;
  const auto answered = read(returned(R"({"a":{"roots":[]}})", asked["requestState"].get<std::string>()));
  EXPECT_EQ(answered["ttlMs"], 0) << answered;
  EXPECT_EQ(answered["cacheScope"], "private");
}

TEST_F(ModernInputRequests, AreAnsweredWithTheNextRequest) {
  const auto answered = call(returned(R"({"a":{"roots":[]},"stranger":1})", state()));
  EXPECT_EQ(plugin_->last_call().params(), R"({"arguments":{},"name":"add","inputResponses":{"a":{"roots":[]}}})");
  EXPECT_EQ(Json::parse(answered->body())["result"]["resultType"], "complete");
}

TEST_F(ModernInputRequests, AreAskedAgainWithWhatHasBeenAnswered) {
  plugin_->on_invoke = [](Call& call) {
    call.complete(Outcome::input_required, R"({"inputRequests":{"b":{"method":"roots/list"}}})");
  };
  const auto first = state();
  const auto second = Json::parse(call(returned(R"({"b":{"roots":[]}})", first))->body())["result"]["requestState"];
  plugin_->on_invoke = [](Call& call) {
    EXPECT_EQ(call.params(), R"({"arguments":{},"name":"add","inputResponses":{"b":{"roots":[{"uri":"file:///b"}]}}})");
    call.complete(Outcome::result, R"({"content":[]})");
  };
  call(returned(R"({"b":{"roots":[{"uri":"file:///b"}]}})", second.get<std::string>()));
  EXPECT_EQ(plugin_->calls.size(), 3U);
}

TEST_F(ModernInputRequests, TakeAnswersThatWereGivenBeforeTheyWereAskedIfTheyAreRight) {
  const auto right = call(R"("inputResponses":{"a":{"roots":[]},"stranger":{}},)");
  EXPECT_EQ(plugin_->calls.size(), 2U);
  EXPECT_EQ(plugin_->calls[0]->params(), R"({"arguments":{},"name":"add"})");
  EXPECT_EQ(plugin_->calls[1]->params(), R"({"arguments":{},"name":"add","inputResponses":{"a":{"roots":[]}}})");
  EXPECT_EQ(Json::parse(right->body())["result"]["resultType"], "complete");
  const auto wrong = call(R"("inputResponses":{"a":{"roots":7}},)");
  EXPECT_EQ(Json::parse(wrong->body())["result"]["resultType"], "input_required");
}

TEST_F(ModernInputRequests, TakeAnAnswerThatWasGivenBeforeOnce) {
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::input_required, asks_for_roots); };
  const auto asked = call(R"("inputResponses":{"a":{"roots":[]}},)");
  EXPECT_EQ(plugin_->calls.size(), 2U);
  EXPECT_EQ(Json::parse(asked->body())["result"]["resultType"], "input_required");
}

TEST_F(ModernInputRequests, AreNotAnsweredForAnotherRequest) {
  const auto given = state();
  constexpr auto not_ours =
      "Invalid params: params.requestState: it is not what this server gave out for this very request; send the "
      "request anew without it";
  const auto answers = returned(R"({"a":{"roots":[]}})", given);
  EXPECT_EQ(message(*call(R"("arguments":{"a":1},)" + answers)), not_ours);
  EXPECT_EQ(message(*call(returned(R"({"a":{"roots":[]}})", given + "x"))), not_ours);
  // The very one goes on.
  EXPECT_EQ(Json::parse(call(answers)->body())["result"]["resultType"], "complete");
}

TEST_F(ModernInputRequests, AreRefusedWhereTheAnswersAreWrong) {
  const auto given = state();
  EXPECT_EQ(message(*call(returned(R"({"a":{"roots":7}})", given))),
            "Invalid params: params.inputResponses.a: \"roots\" is not an array");
  EXPECT_EQ(message(*call(R"("inputResponses":null,)")), "Invalid params: params.inputResponses must be an object");
  const auto many = dump(Json{{"a", {{"x", std::vector<int>(max_answer_values)}}}});
  EXPECT_EQ(message(*call(R"("inputResponses":)" + many + ",")),
            "Invalid params: params.inputResponses has more than 20000 values");
  EXPECT_EQ(message(*call(R"("inputResponses":{"a":7},)")),
            "Invalid params: params.inputResponses.a: it is not an object");
  EXPECT_EQ(message(*call(R"("requestState":7,)")), "Invalid params: params.requestState must be a string");
}

TEST_F(ModernInputRequests, DoNotCountForTheComponentWhereTheirStateIsRefused) {
  limit(2);
  const auto given = state();
  const std::string answers = R"({"a":{"roots":[]}})";
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(message(*call(returned(answers, given + "x"))).find("Invalid params: params.requestState"), 0U);
  EXPECT_EQ(Json::parse(call(returned(answers, given))->body())["result"]["resultType"], "complete");
  EXPECT_EQ(Json::parse(call()->body())["error"]["code"], 429);
}

TEST_F(ModernInputRequests, DoNotCountForAToolThatNeedsTasksWhereTheClientDoesNotKnowThem) {
  publish(
      R"({"tools": [{"name": "add", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}]})");
  plugin_->on_invoke = [](Call& call) { call.complete(Outcome::result, R"({"content":[]})"); };
  limit(1);
  const std::string knows_tasks = R"({"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
  for (int i = 0; i < 3; ++i)
    EXPECT_NE(Json::parse(call()->body())["error"]["code"], 429);
  call({}, "add", knows_tasks);
  EXPECT_EQ(plugin_->calls.size(), 1U) << "it is the first that counts";
  EXPECT_EQ(Json::parse(call({}, "add", knows_tasks)->body())["error"]["code"], 429);
}

TEST_F(ModernInputRequests, AreBoundToThePrincipal) {
  Caller ada;
  ada.principal = test::principal("ada");
  Caller bob;
  bob.principal = test::principal("bob");
  EXPECT_NE(purpose_of(PluginMethod::tools_call, "{}", ada), purpose_of(PluginMethod::tools_call, "{}", bob));
  EXPECT_NE(purpose_of(PluginMethod::tools_call, "{}", ada), purpose_of(PluginMethod::prompts_get, "{}", ada));
  EXPECT_NE(purpose_of(PluginMethod::tools_call, "{}", ada), purpose_of(PluginMethod::tools_call, R"({"a":1})", ada));
}

}  // namespace
}  // namespace mcph
