#include "protocol/calls/plugin_call.hpp"

#include <chrono>
#include <functional>
#include <limits>
#include <new>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/calls/task.hpp"
#include "protocol/legacy/legacy_content.hpp"
#include "runtime/timers.hpp"
#include "support/fake_plugin.hpp"
#include "support/principals.hpp"
#include "support/recording_exchange.hpp"
#include "support/recording_log.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

// Words an end so that a test sees which one it was.
class PlainAnswers final : public CallAnswers {
 public:
  Reply result(const CallOrigin& origin, PluginMethod, JsonValue result) const override {
    return {"result " + origin.id + " " + std::string(result.text())};
  }
  Reply error(std::string_view id, const RpcError& error) const override {
    return {"error " + std::string(id) + " " + std::to_string(error.code) + " " + error.message};
  }
  void ask(SuspendedCall call, OrderedJson requests) const override {
    call.exchange->reply({"input required " + call.origin.id + " " + requests.dump()});
    call.exchange = nullptr;  // which would hold it in turn
    suspended = std::move(call);
  }

  void go_on(const SuspendedCall& call, const Json& answers) const override {
    if (std::exchange(is_short_of_memory, false)) throw std::bad_alloc();
    call.exchange->reply({"goes on " + call.origin.id + " " + answers.dump()});
  }
  std::shared_ptr<const Catalog> catalog_for(const Principal&) const override { return catalog; }

  const CallLog& call_log() const override { return call_log_; }
  CallObserver* observer() const override { return &parts; }

  // What is told of plugins' parts, "SPAN PARENT OUTCOME".
  struct Parts final : CallObserver {
    std::shared_ptr<const TraceSpan> begin_part(const TraceSpan& span) override {
      return std::make_shared<const TraceSpan>(TraceSpan{span.trace_id, "0000000000000002", span.span_id});
    }
    void ended(const CallEnd&) override {}
    void plugin_ended(const PluginCallEnd& end) override {
      told.push_back(end.span.span_id + " " + end.span.parent_id + " " + std::string(end.outcome) +
                     (end.is_error ? " !" : ""));
    }
    std::vector<std::string> told;
  };
  mutable Parts parts;
  mutable std::optional<SuspendedCall> suspended;
  mutable bool is_short_of_memory = false;  // when a call is to go on for the first time
  std::shared_ptr<const Catalog> catalog = std::make_shared<const Catalog>();
  test::RecordingLog log{Log::Level::off};

 private:
  const CallLog call_log_{log};
};

class PluginCallTest : public ::testing::Test {
 protected:
  // A request without an answer and its call hold each other, and so do the plugin and the calls it was given.
  ~PluginCallTest() override {
    exchange_->abandon();
    plugin_->let_go_of_calls();
  }

  Call& begin(Json meta = nullptr, std::shared_ptr<const LogThreshold> log_threshold = {}) {
    const Caller caller{"2025-11-25", {{"name", "client"}, {"version", "1"}}};
    PluginCall::begin({plugin_, PluginMethod::tools_call, R"({"name":"add"})", "add", std::move(meta)},
                      {"7", std::make_shared<const Caller>(caller), std::move(log_threshold)}, exchange_, answers_);
    return plugin_->last_call();
  }
  Call& begin_with_token() { return begin({{"progressToken", "t"}}); }

  const std::shared_ptr<test::FakePlugin> plugin_ = std::make_shared<test::FakePlugin>("/components/tools/sums.so");
  const std::shared_ptr<test::RecordingExchange> exchange_ = std::make_shared<test::RecordingExchange>();
  PlainAnswers answers_{};
};

constexpr auto trace_id = "0af7651916cd43dd8448eb211c80319c";

TEST_F(PluginCallTest, TellsOfThePluginsPartWhereTheRequestIsTraced) {
  const auto span = std::make_shared<const TraceSpan>(TraceSpan{trace_id, "0000000000000001"});
  const auto begin = [&](Json meta) -> Call& {
    PluginCall::begin({plugin_, PluginMethod::tools_call, R"({"name":"add"})", "add", std::move(meta)},
                      {.id = "7", .caller = std::make_shared<const Caller>(Caller{"2025-11-25"}), .span = span},
                      exchange_, answers_);
    return plugin_->last_call();
  };
  const std::string own = "00-" + std::string(trace_id) + "-0000000000000002-01";
  EXPECT_EQ(Json::parse(begin(nullptr).context())["trace"], Json({{"traceparent", own}}));
  const Json meta{{"traceparent", "00-" + std::string(trace_id) + "-0000000000000009-01"}, {"tracestate", "a=1"}};
  auto& call = begin(meta);
  EXPECT_EQ(Json::parse(call.context())["trace"], Json({{"traceparent", own}, {"tracestate", "a=1"}}));
  call.complete(Outcome::result, R"({"content":[]})");
  begin(nullptr).complete(Outcome::error, R"({"code":-32603,"message":"no"})");
  EXPECT_THAT(answers_.parts.told,
              ElementsAre("0000000000000002 0000000000000001 ok", "0000000000000002 0000000000000001 error -32603 !"));
}

constexpr auto empty_result = R"({"content":[]})";

TEST_F(PluginCallTest, GivesThePluginTheRequest) {
  const auto& call = begin();
  EXPECT_EQ(call.method(), PluginMethod::tools_call);
  EXPECT_EQ(call.params(), R"({"name":"add"})");
  EXPECT_TRUE(exchange_->replies().empty());
}

TEST_F(PluginCallTest, RepliesWithTheResult) {
  begin().complete(Outcome::result, empty_result);
  EXPECT_EQ(exchange_->body(), R"(result 7 {"content":[]})");
}

TEST_F(PluginCallTest, ChecksNoLongAnswerForNobody) {
  auto& call = begin();
  exchange_->is_read = false;
  call.complete(Outcome::result, "no JSON" + std::string(100'000, 'x'));
  EXPECT_EQ(exchange_->replies().size(), 1U) << "so that nothing is held by it any more";
  EXPECT_EQ(exchange_->body(), "");
  EXPECT_TRUE(plugin_->failures.empty());
}

TEST_F(PluginCallTest, CountsTheFailureOfAShortAnswerThatNobodyReads) {
  auto& call = begin();
  exchange_->is_read = false;
  call.complete(Outcome::error, R"({"code":-32602,"message":"No such note"})");
  EXPECT_EQ(plugin_->failures.size(), 1U);
}

TEST_F(PluginCallTest, RepliesWithTheError) {
  begin().complete(Outcome::error, R"({"code":-32602,"message":"No such note"})");
  EXPECT_EQ(exchange_->body(), "error 7 -32602 No such note");
}

TEST_F(PluginCallTest, TellsThePluginWhichOfItsCallsFailed) {
  begin().complete(Outcome::result, empty_result);
  EXPECT_TRUE(plugin_->failures.empty());
  begin().complete(Outcome::error, R"({"code":-32602,"message":"No such note"})");
  begin().complete(Outcome::result, R"({"content":[{"type":"text","text":"Too large"}],"isError":true})");
  begin().complete(Outcome::result, R"({"content":[],"isError":false})");
  begin().complete(Outcome::result, R"({"content":[],"isError":true})");
  begin().complete(Outcome::result, "[]");
  ASSERT_EQ(plugin_->failures.size(), 4U);
  EXPECT_EQ(plugin_->failures[0], "add: No such note");
  EXPECT_EQ(plugin_->failures[1], "add: Too large");
  EXPECT_EQ(plugin_->failures[2], "add: it says that it failed, and not why");
  EXPECT_TRUE(plugin_->failures[3].starts_with("add: answered with something invalid: ")) << plugin_->failures[3];
}

constexpr auto unexpected_failure =
    R"({"content":[{"type":"text","text":"stoll"}],"isError":true,"_meta":{"mcp-plugin-host/unexpected":true}})";

TEST_F(PluginCallTest, ShowsAnUnexpectedFailureWithoutItsMark) {
  begin().complete(Outcome::result, unexpected_failure);
  EXPECT_EQ(exchange_->body(), R"(result 7 {"content":[{"text":"stoll","type":"text"}],"isError":true})");
}

TEST_F(PluginCallTest, MasksWhatIsNotMeantForClientsAndTellsTheOperator) {
  plugin_->errors = ErrorTexts::masked;
  begin().complete(Outcome::result, unexpected_failure);
  EXPECT_EQ(exchange_->body(),
            R"(result 7 {"content":[{"text":"add failed. The operator of this server can find out why.",)"
            R"("type":"text"}],"isError":true})");
  EXPECT_THAT(plugin_->failures, ElementsAre("add: stoll"));
}

TEST_F(PluginCallTest, MasksWhatIsForProgramsToo) {
  plugin_->errors = ErrorTexts::masked;
  begin().complete(Outcome::result, R"({"content":[],"isError":true,"structuredContent":{"path":"/secret"},)"
                                    R"("_meta":{"mcp-plugin-host/unexpected":true}})");
  EXPECT_EQ(exchange_->body().find("secret"), std::string::npos) << exchange_->body();
}

TEST_F(PluginCallTest, MasksInternalErrorsAndNoOthers) {
  plugin_->errors = ErrorTexts::masked;
  begin().complete(Outcome::error, R"({"code":-32603,"message":"stoll","data":{"path":"/secret"}})");
  EXPECT_EQ(exchange_->body(), "error 7 -32603 add failed. The operator of this server can find out why.");
  EXPECT_THAT(plugin_->failures, ElementsAre("add: stoll"));
}

TEST_F(PluginCallTest, MasksNothingThatIsMeantForClients) {
  plugin_->errors = ErrorTexts::masked;
  begin().complete(Outcome::error, R"({"code":-32602,"message":"No such note"})");
  EXPECT_EQ(exchange_->body(), "error 7 -32602 No such note");
}

TEST_F(PluginCallTest, MasksNothingThatTheHostSays) {
  plugin_->errors = ErrorTexts::masked;
  begin().refuse(R"({"code":-32603,"message":"plugin sums: its process was killed"})");
  EXPECT_EQ(exchange_->body(), "error 7 -32603 plugin sums: its process was killed");
}

TEST_F(PluginCallTest, TakesNoReasonFromAContentThatIsNoText) {
  begin().complete(Outcome::result,
                   R"({"isError":true,"content":[{"type":"image","data":"eA==","mimeType":"y","text":5}]})");
  EXPECT_TRUE(exchange_->body().starts_with("result 7 ")) << exchange_->body();
  ASSERT_EQ(plugin_->failures.size(), 1U);
  EXPECT_EQ(plugin_->failures[0], "add: it says that it failed, and not why");
}

// Calls `use` with the document as it is with each of its values replaced by one of each type.
void for_each_mistake(const Json& document, const Json::json_pointer& place, const std::function<void(Json)>& use) {
  for (const auto& other : {Json(), Json(true), Json(5), Json("x"), Json::array(), Json::object()}) {
    auto wrong = document;
    wrong[place] = other;
    use(std::move(wrong));
  }
  const auto& value = document[place];
  if (value.is_object()) {
    for (const auto& [name, nested] : value.items())
      for_each_mistake(document, place / name, use);
  }
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
    for_each_mistake(document, place / i, use);
}

TEST_F(PluginCallTest, AnswersWhateverIsOfAnotherTypeInAResult) {
  const Json audio = {{"type", "audio"}, {"data", ""}, {"mimeType", "audio/wav"}};
  const Json link = {{"type", "resource_link"}, {"uri", "a://b"}, {"name", "b"}};
  const Json text = {{"type", "text"}, {"text", "a"}};
  const Json contents = {{"uri", "a://b"}, {"text", ""}};
  const Json resource = {{"type", "resource"}, {"resource", contents}};
  const Json result = {{"content", {audio, link, text, resource}},
                       {"structuredContent", Json::object()},
                       {"isError", true},
                       {"contents", {contents}},
                       {"ttlMs", 5},
                       {"cacheScope", "public"},
                       {"messages", {{{"role", "user"}, {"content", audio}}, {{"role", "user"}, {"content", link}}}},
                       {"completion", {{"values", Json::array({"a"})}, {"total", 1}, {"hasMore", false}}},
                       {"_meta", Json::object()}};
  const auto caller = std::make_shared<const Caller>(Caller{"2024-11-05", {}});
  for (const auto method : {PluginMethod::tools_call, PluginMethod::resources_read, PluginMethod::prompts_get,
                            PluginMethod::completion_complete}) {
    for_each_mistake(result, Json::json_pointer(), [&](Json wrong) {
      const auto exchange = std::make_shared<test::RecordingExchange>();
      PluginCall::begin({plugin_, method, "{}", "it"}, {"7", caller}, exchange, answers_);
      const auto json = wrong.dump();
      EXPECT_NO_THROW(plugin_->last_call().complete(Outcome::result, json)) << name_of(method) << json;
      EXPECT_EQ(exchange->replies().size(), 1U) << name_of(method) << json;
      EXPECT_NO_THROW(if (wrong.is_object()) fit_to_revision(wrong, "2024-11-05")) << json;
    });
  }
}

TEST_F(PluginCallTest, ACallThatItsClientCancelledHasNotFailed) {
  auto& call = begin();
  call.cancel(CancelReason::client);
  call.complete(Outcome::error, R"({"code":-32603,"message":"cancelled"})");
  EXPECT_TRUE(plugin_->failures.empty());
}

TEST_F(PluginCallTest, LogsHowEachCallEnded) {
  answers_.log.set_level(Log::Level::debug);
  begin().complete(Outcome::result, empty_result);
  begin().complete(Outcome::result, R"({"content":[{"type":"text","text":"Too large"}],"isError":true})");
  begin().complete(Outcome::error, R"({"code":-32602,"message":"No such note"})");
  begin().complete(Outcome::result, "[]");
  begin().complete(Outcome::input_required, R"({"inputRequests":{"a":{"method":"roots/list"}}})");
  auto& unwanted = begin();
  unwanted.cancel(CancelReason::client);
  unwanted.complete(Outcome::error, R"({"code":-32603,"message":")" + std::string(1000, 'x') + R"("})");
  const std::string call = "call method=tools/call component=add plugin=sums outcome=";
  const std::string ms = R"( ms=[0-9]+\.[0-9][0-9][0-9])";
  EXPECT_THAT(answers_.log.lines(),
              ElementsAre(MatchesRegex(call + "ok" + ms), MatchesRegex(call + "tool error" + ms + " error=Too large"),
                          MatchesRegex(call + "error -32602" + ms + " error=No such note"),
                          MatchesRegex(call + "invalid answer" + ms + " error=it is not a JSON object"),
                          MatchesRegex(call + "asks the client" + ms),
                          MatchesRegex(call + "error -32603, cancelled by the client" + ms + " error=x{500}")));
}

TEST_F(PluginCallTest, LogsWhatWasSaidInACallAtTheLevelTrace) {
  answers_.log.set_level(Log::Level::trace);
  begin().complete(Outcome::result, empty_result);
  begin().complete(Outcome::error, R"({"code":-32602,"message":"No such note"})");
  begin().complete(Outcome::result, "[]");
  begin().complete(Outcome::result, R"({"content":[{"type":"text","text":")" + std::string(5000, 'x') + R"("}]})");
  const auto lines = answers_.log.lines();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], HasSubstr(R"( params={"name":"add"} answer=)" + std::string(empty_result)));
  EXPECT_THAT(
      lines[1],
      HasSubstr(R"( error=No such note params={"name":"add"} answer={"code":-32602,"message":"No such note"})"));
  EXPECT_THAT(lines[2], HasSubstr(" error=it is not a JSON object params="));
  EXPECT_THAT(lines[3], EndsWith("xxx... (5039 bytes)"));
}

TEST_F(PluginCallTest, LogsNothingOfCallsUnlessItsLevelIsDebug) {
  answers_.log.set_level(Log::Level::info);
  begin().complete(Outcome::result, empty_result);
  begin().complete(Outcome::error, R"({"code":-32602,"message":"No such note"})");
  EXPECT_THAT(answers_.log.lines(), IsEmpty());
}

TEST_F(PluginCallTest, SaysWhyACallWasCancelledThatFailedThen) {
  auto& call = begin();
  call.cancel(CancelReason::deadline, "add took longer than the 1 s that limits.callTimeMs allows");
  call.complete(Outcome::result, R"({"content":[{"type":"text","text":"cancelled"}],"isError":true})");
  EXPECT_EQ(exchange_->body(),
            R"(result 7 {"content":[{"text":"The call was cancelled, because add took longer than the 1 s that )"
            R"(limits.callTimeMs allows.","type":"text"},{"text":"cancelled","type":"text"}],"isError":true})");
  EXPECT_EQ(plugin_->failures.back(),
            "add: The call was cancelled, because add took longer than the 1 s that limits.callTimeMs allows. "
            "cancelled");
}

TEST_F(PluginCallTest, SaysWhyACallWasCancelledThatEndedWithAnError) {
  auto& call = begin();
  call.cancel(CancelReason::shutdown);
  call.complete(Outcome::error, R"({"code":-32000,"message":"cancelled"})");
  EXPECT_EQ(exchange_->body(),
            "error 7 -32000 The call was cancelled, because this server is stopping. Plugin sums says: cancelled");
}

TEST_F(PluginCallTest, SaysOnceWhyACallWasCancelledWhereThePluginSaysNoMore) {
  auto& call = begin();
  call.cancel(CancelReason::deadline, "add took longer than the 1 s that limits.callTimeMs allows");
  call.complete(
      Outcome::result,
      R"({"content":[{"type":"text","text":"The call was cancelled, because it took too long."}],"isError":true})");
  EXPECT_EQ(exchange_->body(),
            R"(result 7 {"content":[{"text":"The call was cancelled, because add took longer than the 1 s that )"
            R"(limits.callTimeMs allows.","type":"text"}],"isError":true})");
  EXPECT_EQ(plugin_->failures.back(),
            "add: The call was cancelled, because add took longer than the 1 s that limits.callTimeMs allows.");
}

TEST_F(PluginCallTest, SaysOnceWhyACallWasCancelledWhoseErrorSaysNoMore) {
  auto& call = begin();
  call.cancel(CancelReason::shutdown);
  call.complete(Outcome::error,
                R"({"code":-32000,"message":"the call was cancelled, because the server is stopping"})");
  EXPECT_EQ(exchange_->body(), "error 7 -32000 The call was cancelled, because this server is stopping.");
}

TEST_F(PluginCallTest, PassesOnWhatACancelledCallAchieved) {
  auto& call = begin();
  call.cancel(CancelReason::deadline, "add took too long");
  call.complete(Outcome::result, R"({"content":[{"type":"text","text":"5"}]})");
  EXPECT_EQ(exchange_->body(), R"(result 7 {"content":[{"type":"text","text":"5"}]})");
}

TEST_F(PluginCallTest, AddsNothingToWhatTheHostItselfSaysInThePluginsStead) {
  auto& call = begin();
  call.cancel(CancelReason::reload);
  call.refuse(R"({"code":-32603,"message":"plugin sums: the call was cancelled before it began"})");
  EXPECT_EQ(exchange_->body(), "error 7 -32603 plugin sums: the call was cancelled before it began");
}

TEST_F(PluginCallTest, AddsNothingForAClientThatCancelled) {
  auto& call = begin();
  call.cancel(CancelReason::client);
  call.complete(Outcome::error, R"({"code":-32603,"message":"cancelled"})");
  EXPECT_EQ(exchange_->body(), "error 7 -32603 cancelled");
}

TEST_F(PluginCallTest, RepliesWithTheInputRequest) {
  begin().complete(Outcome::input_required, R"({"inputRequests":{"a":{"method":"roots/list"}}})");
  EXPECT_EQ(exchange_->body(), R"(input required 7 {"a":{"method":"roots/list","params":{}}})");
}

TEST_F(PluginCallTest, ReadsResourcesForThePluginBeforeTheClientIsAsked) {
  const auto notes = std::make_shared<test::FakePlugin>("/components/resources/notes.so");
  answers_.catalog = std::make_shared<const Catalog>(
      1, std::vector<ServedPlugin>{
             {notes, test::components_of(
                         R"({"resources":[{"uri":"notes://a","name":"a"},{"uri":"notes://b","name":"b"}]})")}});
  begin().complete(Outcome::input_required, R"({"inputRequests":{"roots":{"method":"roots/list"},)"
                                            R"("a":{"method":"resources/read","params":{"uri":"notes://a"}},)"
                                            R"("absent":{"method":"resources/read","params":{"uri":"notes://absent"}},)"
                                            R"("b":{"method":"resources/read","params":{"uri":"notes://b"}}}})");
  EXPECT_TRUE(exchange_->replies().empty());
  EXPECT_EQ(notes->last_call().params(), R"({"uri":"notes://a"})");
  EXPECT_TRUE(notes->answer(0, 0, R"({"contents":[{"uri":"notes://a","text":"A"}]})"));
  EXPECT_TRUE(notes->answer(1, 1, R"({"code":-32603,"message":"no disk"})"));
  EXPECT_EQ(exchange_->body(), R"(goes on 7 {"a":{"contents":[{"text":"A","uri":"notes://a"}]},)"
                               R"("absent":{"error":{"code":-32002,"message":"Resource not found: notes://absent"}},)"
                               R"("b":{"error":{"code":-32603,"message":"no disk"}}})");
  notes->let_go_of_calls();
}

TEST_F(PluginCallTest, GoesOnWithAnErrorWhereThereIsNoMemoryForTheNextRead) {
  const auto notes = std::make_shared<test::FakePlugin>("/components/resources/notes.so");
  notes->on_invoke = [](const Call& call) {
    if (call.params() == R"({"uri":"notes://b"})") throw std::bad_alloc();
  };
  answers_.catalog = std::make_shared<const Catalog>(
      1, std::vector<ServedPlugin>{
             {notes, test::components_of(
                         R"({"resources":[{"uri":"notes://a","name":"a"},{"uri":"notes://b","name":"b"}]})")}});
  begin().complete(Outcome::input_required, R"({"inputRequests":{)"
                                            R"("a":{"method":"resources/read","params":{"uri":"notes://a"}},)"
                                            R"("b":{"method":"resources/read","params":{"uri":"notes://b"}}}})");
  EXPECT_TRUE(notes->answer(0, 0, R"({"contents":[{"uri":"notes://a","text":"A"}]})"));
  EXPECT_EQ(exchange_->replies().size(), 1U);
  EXPECT_THAT(exchange_->body(), HasSubstr(R"(goes on 7 {"a":{"contents":[{"text":"A","uri":"notes://a"}]},"b":)"));
  EXPECT_THAT(exchange_->body(), HasSubstr(R"("b":{"error":{"code":-32603,"message":)"));
  notes->let_go_of_calls();
}

TEST_F(PluginCallTest, GoesOnOnceMoreWhereThereWasNoMemoryForThat) {
  const auto notes = std::make_shared<test::FakePlugin>("/components/resources/notes.so");
  answers_.catalog = std::make_shared<const Catalog>(
      1, std::vector<ServedPlugin>{{notes, test::components_of(R"({"resources":[{"uri":"notes://a","name":"a"}]})")}});
  begin().complete(Outcome::input_required,
                   R"({"inputRequests":{"a":{"method":"resources/read","params":{"uri":"notes://a"}}}})");
  answers_.is_short_of_memory = true;
  EXPECT_TRUE(notes->answer(0, 0, R"({"contents":[{"uri":"notes://a","text":"A"}]})"));
  EXPECT_EQ(exchange_->body(), R"(goes on 7 {"a":{"contents":[{"text":"A","uri":"notes://a"}]}})");
  notes->let_go_of_calls();
}

TEST_F(PluginCallTest, BeginsAgainWithAllAnswersAndWithoutALeaseInBetween) {
  auto& call = begin_with_token();
  call.progress(5, 0, "");
  call.complete(Outcome::input_required, R"({"inputRequests":{"a":{"method":"roots/list"}}})");
  ASSERT_TRUE(answers_.suspended);
  const auto suspended = *answers_.suspended;
  EXPECT_EQ(suspended.params, R"({"name":"add"})");
  EXPECT_EQ(suspended.origin.rounds.count, 1U);
  EXPECT_EQ(suspended.origin.rounds.last_progress, 5);

  auto origin = suspended.origin;
  origin.rounds.answers = {{"a", {{"roots", Json::array()}}}};
  PluginCall::begin({plugin_, PluginMethod::tools_call, suspended.params, "add"}, origin, exchange_, answers_);
  EXPECT_EQ(plugin_->last_call().params(), R"({"name":"add","inputResponses":{"a":{"roots":[]}}})");
  plugin_->last_call().complete(Outcome::input_required, R"({"inputRequests":{"b":{"method":"roots/list"}}})");
  EXPECT_EQ(answers_.suspended->params, R"({"name":"add"})");
  EXPECT_EQ(answers_.suspended->origin.rounds.answers, origin.rounds.answers);
}

TEST_F(PluginCallTest, NamesPluginAndComponentWhenTheAnswerIsInvalid) {
  begin().complete(Outcome::result, "{}");
  EXPECT_EQ(exchange_->body(),
            "error 7 -32603 Plugin sums answered tools/call of add with something invalid: it lacks the array "
            "\"content\"");
}

TEST_F(PluginCallTest, NamesPluginToolPathAndRuleWhenTheStructuredContentDoesNotFit) {
  PluginCall::begin({plugin_, PluginMethod::tools_call, R"({"name":"add"})", "add", nullptr, TaskSupport::forbidden,
                     *Schema::compile({{"properties", {{"sum", {{"type", "integer"}}}}}})},
                    {"7", std::make_shared<const Caller>(Caller{"2025-11-25", {}})}, exchange_, answers_);
  plugin_->last_call().complete(Outcome::result, R"({"content":[],"structuredContent":{"sum":"3"}})");
  EXPECT_EQ(exchange_->body(),
            "error 7 -32603 Plugin sums answered tools/call of add with something invalid: structuredContent/sum does "
            "not fit the tool's outputSchema (type): \"sum\" must be an integer, but is \"3\"");
}

TEST_F(PluginCallTest, NamesPluginAndComponentWhenTheErrorIsInvalid) {
  begin().complete(Outcome::error, R"({"message":"x"})");
  EXPECT_EQ(exchange_->body(),
            "error 7 -32603 Plugin sums answered tools/call of add with something invalid: the error lacks the whole "
            "number \"code\"");
}

TEST_F(PluginCallTest, NamesPluginAndComponentWhenTheInputRequestIsInvalid) {
  begin().complete(Outcome::input_required, "{}");
  EXPECT_EQ(exchange_->body(),
            "error 7 -32603 Plugin sums answered tools/call of add with something invalid: it lacks "
            "\"inputRequests\", an object with at least one request");
}

TEST_F(PluginCallTest, PassesOnProgressWithTheClientsToken) {
  begin_with_token().progress(1, 4, "first");
  plugin_->last_call().progress(2.5, 0, "");
  EXPECT_EQ(
      exchange_->notifications(),
      (std::vector<std::string>{
          R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1.0,"total":4.0,"message":"first"}})",
          R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":2.5}})"}));
}

TEST_F(PluginCallTest, KeepsTheTypeOfAProgressToken) {
  begin({{"progressToken", 42}}).progress(1, 0, "");
  ASSERT_EQ(exchange_->notifications().size(), 1U);
  EXPECT_NE(exchange_->notifications()[0].find(R"("progressToken":42,)"), std::string::npos);
}

TEST_F(PluginCallTest, PassesOnProgressOnlyWhenItGrew) {
  auto& call = begin_with_token();
  call.progress(1, 0, "");
  call.progress(1, 0, "again");
  call.progress(0.5, 0, "back");
  EXPECT_EQ(exchange_->notifications().size(), 1U);
  call.progress(2, 0, "");
  EXPECT_EQ(exchange_->notifications().size(), 2U);
}

TEST_F(PluginCallTest, PassesOnNoProgressWithoutAToken) {
  begin().progress(1, 0, "");
  begin({{"progressToken", nullptr}}).progress(1, 0, "");
  begin({{"progressToken", 1.5}}).progress(1, 0, "");
  begin("no object").progress(1, 0, "");
  EXPECT_TRUE(exchange_->notifications().empty());
}

TEST_F(PluginCallTest, WantsProgressForItsClientForATaskAndForTheLog) {
  EXPECT_FALSE(begin().wants_progress());
  EXPECT_FALSE(begin({{"progressToken", Json::object()}}).wants_progress()) << "that is no token";
  EXPECT_TRUE(begin_with_token().wants_progress());
  answers_.log.set_level(Log::Level::trace);
  EXPECT_TRUE(begin().wants_progress());
  answers_.log.set_level(Log::Level::off);
  Timers timers;
  const auto task = std::make_shared<Task>(timers, exchange_, "7", Principal());
  PluginCall::begin({plugin_, PluginMethod::tools_call, R"({"name":"add"})", "add"},
                    {.id = "7", .caller = std::make_shared<const Caller>(Caller{"2026-07-28"}), .task = task}, task,
                    answers_);
  EXPECT_TRUE(plugin_->last_call().wants_progress());
  task->abandon();
  plugin_->let_go_of_calls();  // before the timers go
}

TEST_F(PluginCallTest, PassesOnNoProgressAfterTheResult) {
  auto& call = begin_with_token();
  call.complete(Outcome::result, empty_result);
  call.progress(1, 0, "");
  EXPECT_TRUE(exchange_->notifications().empty());
}

TEST_F(PluginCallTest, PassesOnNoProgressThatIsNoNumber) {
  auto& call = begin_with_token();
  call.progress(std::numeric_limits<double>::quiet_NaN(), 0, "");
  call.progress(std::numeric_limits<double>::infinity(), 0, "");
  EXPECT_TRUE(exchange_->notifications().empty());
  call.progress(1, std::numeric_limits<double>::infinity(), "");
  ASSERT_EQ(exchange_->notifications().size(), 1U);
  EXPECT_EQ(exchange_->notifications()[0].find("total"), std::string::npos);
}

TEST_F(PluginCallTest, PassesOnWhatIsLoggedFromTheSeverityOnThatTheClientAskedFor) {
  const auto threshold = std::make_shared<LogThreshold>(LogLevel::error);
  auto& call = begin(nullptr, threshold);
  call.log(3, "a warning too early");
  threshold->store(LogLevel::warning);
  call.log(2, "a notice");
  call.log(3, "a \"warning\"");
  call.log(99, "beyond");
  EXPECT_EQ(
      exchange_->notifications(),
      (std::vector<std::string>{
          R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","logger":"sums","data":"a \"warning\""}})",
          R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"emergency","logger":"sums","data":"beyond"}})"}));
}

TEST_F(PluginCallTest, PassesOnNothingThatIsLoggedToAClientThatDidNotAsk) {
  begin().log(7, "an emergency");
  begin(nullptr, std::make_shared<const LogThreshold>(LogLevel::nothing)).log(7, "an emergency");
  EXPECT_TRUE(exchange_->notifications().empty());
}

TEST_F(PluginCallTest, EscapesWhatThePluginSaysOfItsProgress) {
  begin_with_token().progress(1, 0, "a \"b\"\n\xff");
  ASSERT_EQ(exchange_->notifications().size(), 1U);
  EXPECT_NE(exchange_->notifications()[0].find(R"("message":"a \"b\"\n)"
                                               "\xEF\xBF\xBD\""),
            std::string::npos);
}

TEST_F(PluginCallTest, IsCancelledWhenTheClientAbandonsTheRequest) {
  const auto& call = begin();
  exchange_->abandon();
  EXPECT_EQ(call.cancelled(), CancelReason::client);
}

TEST_F(PluginCallTest, DoesNotReachThePluginIfTheRequestWasAbandonedBefore) {
  exchange_->abandon();
  const auto nobody = std::make_shared<const Caller>(Caller{.protocol_version = "2026-07-28"});
  PluginCall::begin({plugin_, PluginMethod::tools_call, "{}", "add"}, {"7", nobody}, exchange_, answers_);
  EXPECT_TRUE(plugin_->calls.empty());
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
}

TEST_F(PluginCallTest, TellsWhatClientIsCalling) {
  EXPECT_EQ(begin({{"traceparent", "00-1"}}).context(),
            R"({"client":{"name":"client","version":"1"},"clientCapabilities":{},"meta":{"traceparent":"00-1"},)"
            R"("protocolVersion":"2025-11-25"})");
  const auto nobody = std::make_shared<const Caller>(Caller{.protocol_version = "2026-07-28"});
  PluginCall::begin({plugin_, PluginMethod::tools_call, "{}", "add"}, {"8", nobody}, exchange_, answers_);
  EXPECT_EQ(plugin_->last_call().context(), R"({"clientCapabilities":{},"protocolVersion":"2026-07-28"})");
}

TEST_F(PluginCallTest, TellsItsDeadlineAndItsTrace) {
  constexpr auto parent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
  auto& call = begin({{"traceparent", parent}, {"tracestate", "rojo=1"}, {"baggage", "no baggage"}});
  call.set_deadline(std::chrono::system_clock::time_point(std::chrono::microseconds(1'790'000'000'123'456)));
  const auto context = Json::parse(call.context());
  EXPECT_EQ(context["deadline"], 1'790'000'000'123);
  EXPECT_EQ(context["trace"], (Json{{"traceparent", parent}, {"tracestate", "rojo=1"}}));
  EXPECT_EQ(context["meta"]["baggage"], "no baggage") << "the request's own is told as it came";
}

TEST_F(PluginCallTest, TellsWhoCallsAndNothingOfAnAnonymousCaller) {
  EXPECT_EQ(begin().caller(), "{}");
  const auto ada =
      std::make_shared<const Caller>(Caller{.protocol_version = "2026-07-28", .principal = test::principal("ada")});
  PluginCall::begin({plugin_, PluginMethod::tools_call, "{}", "add"}, {"8", ada}, exchange_, answers_);
  EXPECT_EQ(plugin_->last_call().caller(), R"({"principal":{"id":"test#ada","issuer":"test","subject":"ada"}})");
  EXPECT_EQ(plugin_->last_call().context().find("ada"), std::string::npos);
}

// One that is taken as soon as it is to be.
class TakenPayment final : public Payment {
 public:
  void settle(std::function<void(Settlement)> done) override { done({{{"success", true}}, {}}); }
};

TEST_F(PluginCallTest, AddsTheReceiptToAPaidResultAndChangesNothingElse) {
  const auto paid = [&](std::string_view result) {
    const auto exchange = std::make_shared<test::RecordingExchange>();
    CallPlan plan{plugin_, PluginMethod::tools_call, "{}", "add"};
    plan.price = std::make_shared<const Price>();
    PluginCall::begin(std::move(plan),
                      {.id = "7",
                       .caller = std::make_shared<const Caller>(Caller{"2025-11-25"}),
                       .payment = std::make_shared<TakenPayment>()},
                      exchange, answers_);
    plugin_->last_call().complete(Outcome::result, result);
    return exchange->body();
  };
  EXPECT_EQ(paid(R"({"structuredContent":{"sum":12345678901234567890123},"content":[{"type":"text","text":"a"}]})"),
            R"(result 7 {"_meta":{"x402/payment-response":{"success":true}},)"
            R"("structuredContent":{"sum":12345678901234567890123},"content":[{"type":"text","text":"a"}]})");
  EXPECT_EQ(paid(R"({"content":[],"_meta":{"b":1.0,"a":"\u0041"}})"),
            R"(result 7 {"content":[],"_meta":{"x402/payment-response":{"success":true},"b":1.0,"a":"\u0041"}})");
  EXPECT_EQ(paid(R"({"content":[],"_meta":{}})"),
            R"(result 7 {"content":[],"_meta":{"x402/payment-response":{"success":true}}})");
  EXPECT_EQ(paid(R"({"content":[],"_meta":{"x402\/payment-response":"invented","a":1}})"),
            R"(result 7 {"content":[],"_meta":{"x402\/payment-response":{"success":true},"a":1}})");
}

TEST_F(PluginCallTest, HoldsALeaseOnThePluginUntilItIsGone) {
  auto plugin = std::make_shared<test::FakePlugin>();
  const std::weak_ptr<Plugin> trace = plugin;
  auto call = std::make_shared<PluginCall>(CallPlan{plugin, PluginMethod::tools_call, "{}", "add"},
                                           CallOrigin{"7", std::make_shared<const Caller>()}, exchange_, answers_);
  plugin.reset();
  EXPECT_FALSE(trace.expired());
  call.reset();
  EXPECT_TRUE(trace.expired());
}

}  // namespace
}  // namespace mcph
