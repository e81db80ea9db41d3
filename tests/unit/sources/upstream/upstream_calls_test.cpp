#include "sources/upstream/upstream_calls.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "support/recording_log.hpp"
#include "support/thread_executor.hpp"

namespace mcph {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr auto asks_when = R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"When?"}})";
constexpr auto says_so =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"It is booked"}})";
constexpr auto visit_wanted =
    R"("error":{"code":-32042,"data":{"elicitations":[{"mode":"url","elicitationId":"1","url":"https://a.test",)"
    R"("message":"?"}]},"message":"Visit it"}})";

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
  explicit AskedPersonsCall(const std::string& answers = "")
      : Call(PluginMethod::tools_call, R"({"arguments":{},"name":"book")" + answers + "}", "book") {}
  AskedPersonsCall(PluginMethod method, const std::string& params) : Call(method, params, "a://b") {}
  void progress(double /*progress*/, double /*total*/, std::string_view /*message*/) override {}
  void log(std::int32_t /*level*/, std::string_view message) override { logged = message; }
  void log_json(std::int32_t /*level*/, std::string_view data) override { logged = "JSON " + std::string(data); }
  void complete(Outcome outcome, std::string_view json) override {
    end = std::to_string(static_cast<int>(outcome)) + " " + std::string(json);
  }
  std::string context() const override { return R"({"clientCapabilities":{"elicitation":{"form":{},"url":{}}}})"; }
  std::string caller() const override { return Json{{"principal", {{"scopes", scopes}}}}.dump(); }
  std::vector<std::string> principal_key() const override { return person; }

  std::vector<std::string> person;
  std::vector<std::string> scopes;
  std::string end;
  std::string logged;
};

// Calls over a connection of the legacy era.
class UpstreamCallsTest : public ::testing::Test, private UpstreamClient::Owner {
 protected:
  using Clock = UpstreamInputRequests::Clock;

  explicit UpstreamCallsTest(bool of_one_client = false) : of_one_client_(of_one_client) { serve(); }
  ~UpstreamCallsTest() override {
    client_->forget(fail("the test is over"));
    calls_.lose(fail("the test is over"));
  }

  void serve(bool is_modern = false) {
    calls_.serve({client_, {.is_modern = is_modern, .revision = is_modern ? "2026-07-28" : "2025-11-25"}});
  }
  std::shared_ptr<AskedPersonsCall> call(const std::string& answers = "") {
    auto made = std::make_shared<AskedPersonsCall>(answers);
    calls_.invoke(made);
    return made;
  }
  std::shared_ptr<AskedPersonsCall> call_of(const std::string& subject) {
    auto made = std::make_shared<AskedPersonsCall>();
    made->person = {"https://login.test", subject, "editor"};
    calls_.invoke(made);
    return made;
  }
  std::shared_ptr<AskedPersonsCall> cancelled_call_of(const std::string& subject) {
    auto made = call_of(subject);
    made->cancel(CancelReason::client);
    return made;
  }
  // What brings the answers to what it has asked.
  static std::string answers_to(const AskedPersonsCall& asked, const std::string& answers) {
    const auto end = Json::parse(asked.end.substr(2), nullptr, false);
    return R"(,"inputResponses":)" + answers + R"(,"inputState":)" + end.value("inputState", Json()).dump();
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const auto& message : transport_->sent)
      texts.push_back(message.text);
    return texts;
  }

  // What the upstream says.
  void hear(std::string_view text) { static_cast<UpstreamListener&>(*client_).message_came(text, std::nullopt); }

  using RequestId = UpstreamClient::RequestId;
  void progressed(RequestId /*request*/, double /*progress*/, double /*total*/, std::string_view /*message*/) override {
  }
  void said(std::optional<RequestId> request, std::string_view level, std::string_view text,
            std::string_view data) override {
    calls_.said(request, level, text, data);
  }
  void asked(std::optional<RequestId> request, from_upstream::Request input_request) override {
    EXPECT_TRUE(calls_.asked(request, input_request));
  }
  void withdrawn(const Json& input_request) override { calls_.withdrawn(input_request); }
  void answered_late(RequestId request) override { calls_.answered_late(request); }
  void lists_changed() override {}
  void may_have_missed() override {}
  void acknowledged(std::optional<RequestId> /*subscription*/, const Json& /*notifications*/) override {}
  void resource_updated(const std::string& /*uri*/) override {}
  void misbehaved(std::string_view what) override { ADD_FAILURE() << what; }
  void connection_ended(const Error& /*why*/) override {}

  const bool of_one_client_;
  test::RecordingLog log_;
  RateLimitedLog limited_log_{log_, 100};
  const PluginIdentity identity_{
      .file = "far.mcp.json", .name = "far", .version = "1", .digest = "", .is_upstream = true};
  PluginLimits limits_;
  const PluginEvents events_;
  LimitReports limit_reports_{log_, identity_};
  test::ThreadExecutor executor_;
  const std::shared_ptr<KeepingTransport> transport_ = std::make_shared<KeepingTransport>();
  const std::shared_ptr<UpstreamClient> client_ =
      std::make_shared<UpstreamClient>(transport_, static_cast<UpstreamClient::Owner&>(*this));
  UpstreamCalls calls_{{identity_, limits_, events_, limit_reports_, executor_},
                       limited_log_,
                       {.are_on_streams = true, .of_one_client = of_one_client_},
                       [](const auto&) {}};
};

class UpstreamCallsOfOneClientTest : public UpstreamCallsTest {
 protected:
  UpstreamCallsOfOneClientTest() : UpstreamCallsTest(true) {}
};

TEST_F(UpstreamCallsTest, AnUpstreamThatWaitsForAnAnswerOfItsCallsClientIsNotIdle) {
  EXPECT_TRUE(calls_.is_idle());
  const auto call = this->call();
  EXPECT_FALSE(calls_.is_idle());
  hear(asks_when);
  ASSERT_THAT(call->end, HasSubstr("When?"));
  EXPECT_FALSE(calls_.is_idle());
  // It goes on without the answer, and waits for nothing any more.
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_TRUE(calls_.is_idle());
}

TEST_F(UpstreamCallsTest, AnUpstreamIsToldThatItsQuestionIsNotAnsweredAndItsCallIsOver) {
  const auto asked = call();
  hear(asks_when);
  const auto state = Json::parse(asked->end.substr(2))["inputState"].get<std::string>();
  transport_->sent.clear();
  calls_.not_answered(state, -1, "User rejected it");
  EXPECT_THAT(texts(), ElementsAre(R"({"error":{"code":-1,"message":"User rejected it"},"id":"q","jsonrpc":"2.0"})",
                                   AllOf(HasSubstr("notifications/cancelled"), HasSubstr(R"("requestId":1)"))));
  EXPECT_TRUE(calls_.is_idle());
  // That the answers came is no news.
  calls_.not_answered(state, -1, "again");
  EXPECT_EQ(transport_->sent.size(), 2U);
}

TEST_F(UpstreamCallsTest, AClientIsAskedAgainWhatItHasLeftOut) {
  const auto asked = call();
  hear(asks_when);
  transport_->sent.clear();
  const auto without = call(answers_to(*asked, "{}"));
  EXPECT_THAT(without->end, HasSubstr("When?"));
  EXPECT_THAT(texts(), IsEmpty());
  const auto name = Json::parse(without->end.substr(2))["inputRequests"].begin().key();
  const auto answered = call(answers_to(*without, R"({")" + name + R"(":{"action":"decline"}})"));
  EXPECT_THAT(texts(), ElementsAre(R"({"id":"q","jsonrpc":"2.0","result":{"action":"decline"}})"));
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_EQ(answered->end, R"(0 {"content":[]})");
}

TEST_F(UpstreamCallsTest, APersonAnswersWithAnotherCredentialAndNobodyElseDoes) {
  const auto ask = [this](const std::vector<std::string>& person, const std::string& scope, const std::string& more) {
    auto made = std::make_shared<AskedPersonsCall>(more);
    made->person = person;
    made->scopes = {scope};
    calls_.invoke(made);
    return made;
  };
  const std::vector<std::string> ada{"https://login.test", "ada", "editor"};
  const auto asked = ask(ada, "read", "");
  hear(asks_when);
  const auto answers = answers_to(*asked, R"({"1":{"action":"decline"}})");
  const auto of_other_program = ask({"https://login.test", "ada", "robot"}, "read", answers);
  EXPECT_THAT(of_other_program->end, HasSubstr("is not asked any more"));
  const auto answered = ask(ada, "read write", answers);
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_EQ(answered->end, R"(0 {"content":[]})");
}

TEST_F(UpstreamCallsTest, AQuestionIsOverWithTheStreamOfItsRequest) {
  const auto asked = call();
  hear(asks_when);
  bool is_told = false;
  calls_.when_withdrawn(Json::parse(asked->end.substr(2))["inputState"], [&] { is_told = true; });
  transport_->sent.clear();
  static_cast<UpstreamListener&>(*client_).request_failed("1", {fail_for_now("its stream ended")});
  EXPECT_THAT(texts(), ElementsAre(AllOf(HasSubstr(R"("id":"q")"), HasSubstr(R"("error")")),
                                   AllOf(HasSubstr("notifications/cancelled"), HasSubstr(R"("requestId":1)"))));
  EXPECT_TRUE(is_told);
  const auto answering = call(answers_to(*asked, R"({"1":{"action":"decline"}})"));
  EXPECT_THAT(answering->end, AllOf(StartsWith("1 "), HasSubstr("its stream ended")));
  EXPECT_EQ(transport_->sent.size(), 2U);
}

TEST_F(UpstreamCallsTest, AResourceThatItsServerHadAskedForMoreOfIsKeptByNobody) {
  calls_.lose(fail("its next connection"));
  serve(true);
  const auto read = std::make_shared<AskedPersonsCall>(PluginMethod::resources_read, R"({"uri":"a://b"})");
  calls_.invoke(read);
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}})");
  hear(R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","contents":[],"ttlMs":5,"cacheScope":"public"}})");
  EXPECT_EQ(read->end, R"(0 {"contents":[]})");
}

TEST_F(UpstreamCallsTest, AQuestionThatTheUpstreamTakesBackIsNotAnsweredAndTheCallGoesOn) {
  const auto asked = call();
  hear(asks_when);
  bool is_told = false;
  const auto state = Json::parse(asked->end.substr(2))["inputState"].get<std::string>();
  calls_.when_withdrawn(state, [&] { is_told = true; });
  hear(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"another"}})");
  EXPECT_FALSE(is_told);
  hear(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}})");
  EXPECT_TRUE(is_told);
  const auto going_on = call(answers_to(*asked, "{}"));
  EXPECT_EQ(transport_->sent.size(), 1U);
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_THAT(going_on->end, StartsWith("0 "));
}

TEST_F(UpstreamCallsTest, WhoAsksLaterWhetherAQuestionIsTakenBackIsToldSo) {
  const auto asked = call();
  hear(asks_when);
  hear(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}})");
  bool is_told = false;
  calls_.when_withdrawn(Json::parse(asked->end.substr(2))["inputState"], [&] { is_told = true; });
  EXPECT_TRUE(is_told);
}

TEST_F(UpstreamCallsTest, WhoeverWillNotVisitAPageIsNotAskedAgain) {
  for (const auto* const answers : {R"({"1":{"action":"decline"}})", R"({"1":{"action":"cancel"}})", "{}"}) {
    const auto asked = call();
    const auto before = transport_->sent.size();
    hear(R"({"jsonrpc":"2.0","id":)" + transport_->sent.back().id + "," + visit_wanted);
    ASSERT_THAT(asked->end, AllOf(StartsWith("2 "), HasSubstr("https://a.test")));
    const auto answering = call(answers_to(*asked, answers));
    EXPECT_THAT(answering->end, AllOf(StartsWith("1 "), HasSubstr("-32042"), HasSubstr("elicitations")));
    EXPECT_EQ(transport_->sent.size(), before);
  }
}

TEST_F(UpstreamCallsTest, AfterAVisitACallIsMadeOnceAgain) {
  const auto asked = call();
  hear(std::string(R"({"jsonrpc":"2.0","id":1,)") + visit_wanted);
  const auto answering = call(answers_to(*asked, R"({"1":{"action":"accept"}})"));
  ASSERT_EQ(transport_->sent.size(), 2U);
  EXPECT_EQ(transport_->sent.back().method, Method::tools_call);
  hear(std::string(R"({"jsonrpc":"2.0","id":2,)") + visit_wanted);
  EXPECT_THAT(answering->end, AllOf(StartsWith("1 "), HasSubstr("-32042")));
}

TEST_F(UpstreamCallsTest, WhereThereMayBeOneCallTheNextOneWaitsWhileAClientIsAsked) {
  limits_.concurrent_calls = 1;
  const auto first = call();
  hear(asks_when);
  const auto second = call();
  ASSERT_EQ(transport_->sent.size(), 1U);
  const auto answering = call(answers_to(*first, R"({"1":{"action":"accept","content":{}}})"));
  EXPECT_THAT(texts().back(), HasSubstr(R"("action":"accept")"));
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_THAT(answering->end, StartsWith("0 "));
  ASSERT_EQ(transport_->sent.size(), 3U);
  hear(R"({"jsonrpc":"2.0","id":2,"result":{"content":[]}})");
  EXPECT_THAT(second->end, StartsWith("0 "));
  EXPECT_TRUE(calls_.is_idle());
}

TEST_F(UpstreamCallsTest, APlaceIsFreeWhenNobodyAnswersOrItGoesOnByItself) {
  limits_.concurrent_calls = 1;
  const auto first = call();
  hear(asks_when);
  const auto second = call();
  calls_.not_answered(Json::parse(first->end.substr(2))["inputState"], -1, "no");
  EXPECT_EQ(transport_->sent.back().id, "2");
  hear(R"({"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"Request cancelled"}})");
  hear(asks_when);
  ASSERT_THAT(second->end, StartsWith("2 "));
  const auto third = call();
  hear(R"({"jsonrpc":"2.0","id":2,"result":{"content":[]}})");
  EXPECT_EQ(transport_->sent.back().id, "3");
  hear(R"({"jsonrpc":"2.0","id":3,"result":{"content":[]}})");
  EXPECT_THAT(third->end, StartsWith("0 "));
}

TEST_F(UpstreamCallsTest, WhatTheClientCannotDoIsRefusedAndTheCallGoesOn) {
  const auto asked = call();
  hear(R"({"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}})");
  EXPECT_THAT(texts().back(), AllOf(HasSubstr("-32601"), HasSubstr("has no sampling")));
  EXPECT_EQ(asked->end, "");
}

TEST_F(UpstreamCallsTest, AFormIsAskedInTheOrderOfItsFields) {
  const auto asked = call();
  hear(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":)"
       R"({"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}}}})");
  EXPECT_THAT(asked->end, HasSubstr(R"("properties":{"name":{"type":"string"},"age":{"type":"integer"}})"));
}

TEST_F(UpstreamCallsTest, AResultOfAnUnknownTypeIsNone) {
  serve(true);
  const auto made = call();
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"task","content":[]}})");
  EXPECT_THAT(made->end, AllOf(StartsWith("1 "), HasSubstr("resultType"), HasSubstr("task")));
}

TEST_F(UpstreamCallsTest, ACallWhoseSessionIsGoneIsMadeOnceMoreInTheNextOne) {
  const auto made = call();
  const auto fails = [&](const std::string& id) {
    static_cast<UpstreamListener&>(*client_).request_failed(id, {fail_for_now("gone"), 404, true});
  };
  fails("1");
  EXPECT_EQ(made->end, "");
  calls_.hold();
  calls_.lose(fail("gone"));
  serve();
  ASSERT_EQ(transport_->sent.size(), 2U);
  fails("2");
  EXPECT_THAT(made->end, AllOf(StartsWith("1 "), HasSubstr("gone")));
}

TEST_F(UpstreamCallsTest, ACallThatWaitsToBeMadeAgainCanBeCancelledAndRefused) {
  const auto cancelled = call();
  const auto refused = call();
  for (const auto* const id : {"1", "2"})
    static_cast<UpstreamListener&>(*client_).request_failed(id, {fail_for_now("gone"), 404, true});
  cancelled->cancel(CancelReason::shutdown);
  EXPECT_EQ(cancelled->end,
            R"(1 {"code":-32603,"message":"plugin far: the call was cancelled, because this server is stopping"})");
  calls_.refuse(" is not there");
  EXPECT_THAT(refused->end, HasSubstr("plugin far is not there"));
}

TEST_F(UpstreamCallsTest, ACallWithOtherFieldsThanItsToolWantsIsMadeOnceMoreWhenTheToolsAreListed) {
  serve(true);
  const auto made = call();
  hear(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch"}})");
  EXPECT_EQ(made->end, "");
  calls_.make_again();
  ASSERT_EQ(transport_->sent.size(), 2U);
  hear(R"({"jsonrpc":"2.0","id":2,"error":{"code":-32020,"message":"Header mismatch"}})");
  EXPECT_THAT(made->end, HasSubstr("-32020"));
}

TEST_F(UpstreamCallsTest, NoMoreCallsAreMadeAgainAtOnceThanMayRun) {
  limits_.concurrent_calls = 1;
  serve(true);
  const auto mismatched = call();
  hear(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch"}})");
  const auto running = call();
  const auto waiting = call();
  calls_.make_again();
  EXPECT_EQ(transport_->sent.size(), 2U);
  hear(R"({"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}})");
  EXPECT_THAT(running->end, HasSubstr("content"));
  EXPECT_EQ(transport_->sent.size(), 3U);
  hear(R"({"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[],"_meta":{"is":"again"}}})");
  EXPECT_THAT(mismatched->end, HasSubstr("again"));
  EXPECT_EQ(transport_->sent.size(), 4U);
  EXPECT_EQ(waiting->end, "");
}

// Nobody could bring the answers to it.
TEST_F(UpstreamCallsTest, AnUpstreamHearsThatItsQuestionIsTooLong) {
  limits_.result_bytes = 100;
  const auto made = call();
  hear(asks_when);
  EXPECT_THAT(made->end, StartsWith("1 "));
  EXPECT_THAT(texts(), Contains(AllOf(HasSubstr(R"("id":"q")"), HasSubstr(R"("error")"))));
}

// What it did would be done twice.
TEST_F(UpstreamCallsTest, ACallThatMayHaveRunIsNotMadeAgain) {
  const auto begun = call();
  static_cast<UpstreamListener&>(*client_).request_failed("1", {fail_for_now("gone"), 404, true, true});
  EXPECT_THAT(begun->end, HasSubstr("gone"));
  // Of a server that has no such fields the code says something else.
  const auto refused = call();
  hear(R"({"jsonrpc":"2.0","id":2,"error":{"code":-32020,"message":"No seats"}})");
  EXPECT_THAT(refused->end, HasSubstr("No seats"));
}

// The upstream may go on with it.
TEST_F(UpstreamCallsTest, WhatACancelledCallMayHaveAskedIsAskedOfNobody) {
  EXPECT_THAT(cancelled_call_of("ada")->end, HasSubstr("was cancelled"));
  hear(asks_when);
  EXPECT_THAT(texts().back(), AllOf(HasSubstr(R"("id":"q")"), HasSubstr("no call runs")));
  const auto running = call_of("bob");
  hear(asks_when);
  EXPECT_THAT(texts().back(), AllOf(HasSubstr(R"("id":"q")"), HasSubstr("may still run")));
  EXPECT_EQ(running->end, "");
  // It has answered what was cancelled.
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  hear(asks_when);
  EXPECT_THAT(running->end, AllOf(StartsWith("2 "), HasSubstr("When?")));
}

TEST_F(UpstreamCallsTest, WhatACancelledCallMayHaveAskedIsAskedOfNobodyWhereNobodyIsKnown) {
  call()->cancel(CancelReason::deadline);
  const auto running = call();
  hear(asks_when);
  EXPECT_THAT(texts().back(), HasSubstr("may still run"));
  EXPECT_EQ(running->end, "");
}

TEST_F(UpstreamCallsTest, WhatACancelledCallMayHaveAskedIsAskedOfWhoHasMadeIt) {
  cancelled_call_of("ada");
  const auto running = call_of("ada");
  hear(asks_when);
  EXPECT_THAT(running->end, HasSubstr("When?"));
}

TEST_F(UpstreamCallsOfOneClientTest, ItIsAskedWhicheverCallMayHaveAsked) {
  call()->cancel(CancelReason::client);
  const auto first = call();
  const auto second = call();
  hear(asks_when);
  EXPECT_EQ(first->end, "");
  EXPECT_THAT(second->end, HasSubstr("When?"));
}

TEST_F(UpstreamCallsTest, TheRootsOfNobodyAreNoneWhileACancelledCallMayRun) {
  cancelled_call_of("ada");
  hear(R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})");
  EXPECT_EQ(texts().back(), R"({"id":"r","jsonrpc":"2.0","result":{"roots":[]}})");
}

TEST_F(UpstreamCallsTest, ACancelledCallCountsForAsLongAgainAsACallMayTake) {
  struct Time {
    std::chrono::milliseconds of_calls;
    std::chrono::milliseconds counted;
  };
  for (const auto& [of_calls, counted] : {Time{std::chrono::minutes(5), std::chrono::minutes(5)},
                                          Time{std::chrono::minutes(0), UpstreamInputRequests::time}}) {
    limits_.call_time = of_calls;
    const auto before = Clock::now();
    cancelled_call_of("ada");
    const auto after = Clock::now();
    const auto running = call_of("bob");
    calls_.expire(before + counted - std::chrono::milliseconds(1));
    hear(asks_when);
    EXPECT_EQ(running->end, "");
    calls_.expire(after + counted);
    hear(asks_when);
    EXPECT_THAT(running->end, HasSubstr("When?"));
    calls_.lose(fail("the next round"));
    serve();
  }
}

TEST_F(UpstreamCallsTest, CancelledCallsBeyondThoseThatAreKnownAreNobodys) {
  for (int i = 0; i < 2000; ++i)
    cancelled_call_of("bob");
  const auto running = call_of("bob");
  hear(asks_when);
  EXPECT_THAT(texts().back(), HasSubstr("may still run"));
  EXPECT_EQ(running->end, "");
  calls_.expire(Clock::now() + limits_.call_time);
  hear(asks_when);
  EXPECT_THAT(running->end, HasSubstr("When?"));
}

TEST_F(UpstreamCallsTest, ACallWhoseQuestionIsNotAnsweredMayAskAgain) {
  const auto asked = call_of("ada");
  hear(asks_when);
  calls_.not_answered(Json::parse(asked->end.substr(2))["inputState"], -1, "User rejected it");
  const auto running = call_of("bob");
  hear(asks_when);
  EXPECT_THAT(texts().back(), HasSubstr("may still run"));
  EXPECT_EQ(running->end, "");
}

TEST_F(UpstreamCallsTest, ACallThatWasAnsweredWhileItsClientWasAskedAsksNothingMore) {
  const auto asked = call_of("ada");
  hear(asks_when);
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  calls_.not_answered(Json::parse(asked->end.substr(2))["inputState"], -1, "User rejected it");
  const auto running = call_of("bob");
  hear(asks_when);
  EXPECT_THAT(running->end, HasSubstr("When?"));
}

// That its stream has ended does not end it (2025-11-25, basic/transports, "Sending Messages to the Server").
TEST_F(UpstreamCallsTest, ACallWhoseStreamHasEndedMayAsk) {
  for (const bool is_asked : {false, true}) {
    call_of("ada");
    if (is_asked) hear(asks_when);
    static_cast<UpstreamListener&>(*client_).request_failed(transport_->sent.back().id,
                                                            {fail_for_now("its stream ended")});
    const auto running = call_of("bob");
    hear(asks_when);
    EXPECT_THAT(texts().back(), HasSubstr("may still run")) << is_asked;
    EXPECT_EQ(running->end, "");
    calls_.lose(fail("the next round"));
    serve();
  }
}

TEST_F(UpstreamCallsTest, ACallThatIsRefusedAsksNothing) {
  call_of("ada");
  static_cast<UpstreamListener&>(*client_).request_failed("1", {fail_for_now("busy"), 503});
  const auto running = call_of("bob");
  hear(asks_when);
  EXPECT_THAT(running->end, HasSubstr("When?"));
}

TEST_F(UpstreamCallsTest, ACallThatAGatewayHasGivenUpMayAsk) {
  call_of("ada");
  static_cast<UpstreamListener&>(*client_).request_failed("1", {fail_for_now("nobody answers it"), 504});
  const auto running = call_of("bob");
  hear(asks_when);
  EXPECT_THAT(texts().back(), HasSubstr("may still run"));
  EXPECT_EQ(running->end, "");
}

TEST_F(UpstreamCallsTest, WhyNobodyIsAskedIsThatSeveralCallsRunEvenIfAnotherIsCancelled) {
  cancelled_call_of("ada");
  const auto running = {call_of("ada"), call_of("bob")};
  hear(asks_when);
  EXPECT_THAT(texts().back(), HasSubstr("several calls run"));
  for (const auto& each : running)
    EXPECT_EQ(each->end, "");
}

TEST_F(UpstreamCallsTest, WhatACancelledCallMayHaveLoggedGoesToTheHost) {
  for (const bool is_modern : {false, true}) {
    calls_.lose(fail("the next round"));
    serve(is_modern);
    cancelled_call_of("ada");
    const auto running = call_of("bob");
    log_.take();
    hear(says_so);
    EXPECT_EQ(running->logged, "");
    EXPECT_THAT(log_.take(), ElementsAre(AllOf(StartsWith("plugin says"), HasSubstr("It is booked"))));
  }
}

TEST_F(UpstreamCallsTest, WhatIsLoggedWhenACancelledCallHasBeenAnsweredIsTheOthers) {
  cancelled_call_of("ada");
  const auto running = call_of("bob");
  hear(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  hear(says_so);
  EXPECT_EQ(running->logged, "It is booked");
}

TEST_F(UpstreamCallsTest, WhatItLogsStaysJsonWhereItIsMoreThanAText) {
  const auto made = call();
  const auto logged = [&](const std::string& params) {
    hear(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error",)" + params + "}}");
    return made->logged;
  };
  EXPECT_EQ(logged(R"("logger":"db","data":{"table":"a","rows":[1]})"), R"(JSON {"rows":[1],"table":"a"})");
  EXPECT_EQ(logged(R"("logger":"db","data":"lost")"), "db: lost");
}

TEST_F(UpstreamCallsTest, TheCodeOfAnErrorStays) {
  const auto made = call();
  hear(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found"}})");
  EXPECT_THAT(made->end, HasSubstr("-32002"));
}

}  // namespace
}  // namespace mcph
