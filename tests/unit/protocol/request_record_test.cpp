#include "protocol/request_record.hpp"

#include <new>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/calls/task.hpp"
#include "protocol/server/server.hpp"
#include "support/recording_exchange.hpp"
#include "support/server_fixture.hpp"

namespace mcph {
namespace {

using test::modern_request;
using test::request;
using ::testing::HasSubstr;

// Keeps what it is told, and lets replies leave when the test says so.
class HeldRecords final : public RequestRecords {
 public:
  std::optional<std::string> refuses() const override { return refusal; }
  std::string arguments(std::string_view component, JsonValue arguments) const override {
    return std::string(component).append(arguments.text());
  }
  bool record_end(const RecordedRequest& request, const std::function<Then()>& wait) override {
    requests.push_back(request);
    if (!holds || !wait) return true;
    thens.push_back(wait());
    return false;
  }
  void session_ended(std::string_view session, const Caller&) override { sessions.emplace_back(session); }

  bool holds = false;
  std::optional<std::string> refusal;
  std::vector<RecordedRequest> requests;
  std::vector<Then> thens;
  std::vector<std::string> sessions;
};

class RequestRecordTest : public test::ServerFixture {
 protected:
  // While the server is there that has asked.
  ~RequestRecordTest() override { plugin_->let_go_of_calls(); }

  std::shared_ptr<test::RecordingExchange> ask(const std::string& text, const HttpHead& head = {}) {
    auto exchange = std::make_shared<test::RecordingExchange>();
    exchange->comes_from({"10.0.0.1", text.size()});
    endpoint.post(text, head, exchange);
    return exchange;
  }
  // A modern request, whose headers mirror its body.
  std::shared_ptr<test::RecordingExchange> ask(const std::string& method, const std::string& members,
                                               std::optional<std::string_view> name) {
    return ask(modern_request("7", method, members),
               {.protocol_version = "2026-07-28", .method = method, .name = name, .session_id = {}});
  }
  std::shared_ptr<test::RecordingExchange> call(const std::string& members = R"("name":"add","arguments":{"a":1},)",
                                                std::string_view name = "add") {
    return ask("tools/call", members, name);
  }

  HeldRecords records;
  Server recorded{catalog_, {"host", "Host", "1.0"}, {}, {}, log_, nullptr, &records};
  McpEndpoint endpoint{recorded, false};
};

TEST_F(RequestRecordTest, SaysWhatWasAskedAndHowItEnded) {
  const auto exchange = call();
  ASSERT_EQ(plugin_->calls.size(), 1U);
  EXPECT_TRUE(records.requests.empty());
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  ASSERT_EQ(records.requests.size(), 1U);
  const auto& record = records.requests[0];
  EXPECT_EQ(record.method, "tools/call");
  EXPECT_EQ(record.component, "tool:add");
  EXPECT_EQ(record.end.outcome, "ok");
  EXPECT_EQ(record.end.plugin, plugin_->identity().name);
  EXPECT_EQ(record.id, "7");
  EXPECT_EQ(record.protocol_version, "2026-07-28");
  EXPECT_EQ(record.arguments, R"(tool:add{"a":1})");
  EXPECT_EQ(record.origin.source, "10.0.0.1");
  EXPECT_EQ(record.response_bytes, exchange->body().size());
}

TEST_F(RequestRecordTest, AReplyLeavesWhenItsRecordIsKept) {
  records.holds = true;
  const auto exchange = call();
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  EXPECT_TRUE(exchange->replies().empty());
  ASSERT_EQ(records.thens.size(), 1U);
  records.thens[0]({});
  EXPECT_THAT(exchange->body(), HasSubstr(R"("content":[])"));
}

TEST_F(RequestRecordTest, WhatCannotBeRecordedIsWithheld) {
  records.holds = true;
  const auto exchange = call();
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  records.thens.at(0)(fail("the disk is full"));
  EXPECT_THAT(exchange->body(), HasSubstr("the result is withheld"));
  EXPECT_THAT(exchange->body(), HasSubstr(R"("id":7)"));
}

// Has memory for the second reply only.
class BrieflyShortExchange final : public Exchange {
 public:
  std::vector<std::string> bodies;

 private:
  void send(std::string) override {}
  void send_if_room(std::string) override {}
  void finish(Reply reply) override {
    if (std::exchange(is_short_, false)) throw std::bad_alloc();
    bodies.push_back(std::move(reply.body));
  }

  bool is_short_ = true;
};

TEST_F(RequestRecordTest, AClientIsAnsweredThoughThereIsNoMemoryForWhatWasRecorded) {
  records.holds = true;
  const auto exchange = std::make_shared<BrieflyShortExchange>();
  endpoint.post(modern_request("7", "tools/call", R"("name":"add",)"),
                {.protocol_version = "2026-07-28", .method = "tools/call", .name = "add", .session_id = {}}, exchange);
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  ASSERT_EQ(records.thens.size(), 1U);
  records.thens[0]({});
  exchange->abandon();
  ASSERT_EQ(exchange->bodies.size(), 1U);
  EXPECT_THAT(exchange->bodies[0], HasSubstr("This server has no memory left for the answer"));
  EXPECT_THAT(exchange->bodies[0], HasSubstr(R"("id":7)"));
}

TEST_F(RequestRecordTest, NothingIsDoneThatCouldNotBeRecorded) {
  records.refusal = "the disk is full";
  EXPECT_THAT(call()->body(), HasSubstr("the disk is full"));
  EXPECT_TRUE(plugin_->calls.empty());
  EXPECT_THAT(ask("tools/list", "", std::nullopt)->body(), HasSubstr(R"("tools":)"));
}

TEST_F(RequestRecordTest, ThereAreNoneOfRequestsThatOnlyLook) {
  for (const auto* method :
       {"tools/list", "resources/list", "prompts/list", "resources/templates/list", "server/discover"})
    ask(method, "", std::nullopt);
  EXPECT_TRUE(records.requests.empty());
}

TEST_F(RequestRecordTest, SayOfErrorsWhichOnesTheyAre) {
  call(R"("name":"nobody",)", "nobody");
  call(R"("name":"add","arguments":{"a":"x"},)");
  ask("no/such/method", "", std::nullopt);
  ask("resources/read", R"("uri":"none://",)", "none://");
  std::vector<std::string> outcomes;
  for (const auto& record : records.requests)
    outcomes.push_back(record.component + " " + record.end.outcome);
  EXPECT_THAT(outcomes, ::testing::ElementsAre("tool:nobody error -32602", "tool:add invalid arguments",
                                               " error -32601", "resource:none:// error -32602"));
}

TEST_F(RequestRecordTest, AToolThatSaysThatItFailedHasFailed) {
  call();
  plugin_->last_call().complete(Outcome::result, R"({"isError":true,"content":[{"type":"text","text":"no"}]})");
  EXPECT_EQ(records.requests.at(0).end.outcome, "tool error");
}

TEST_F(RequestRecordTest, AClientThatGoesHasCancelled) {
  const auto exchange = call();
  exchange->abandon();
  ASSERT_EQ(records.requests.size(), 1U);
  EXPECT_EQ(records.requests[0].end.outcome, "cancelled");
  plugin_->last_call().complete(Outcome::result, R"({"content":[]})");
  EXPECT_EQ(records.requests.size(), 1U);
}

TEST_F(RequestRecordTest, ACallThatTheHostEndsWhileItsClientIsAskedHasNotAskedIt) {
  RecordedRequest request;
  RequestRecord asked(records, request);
  asked.note(end_at(plugin_->identity(), "asks the client"));
  asked.end({result_response("7", "{}")}, [](Reply) {});
  RequestRecord ended(records, request);
  ended.note(end_at(plugin_->identity(), "asks the client"));
  ended.end({error_response("7", {-32603, "too late"})}, [](Reply) {});
  EXPECT_EQ(records.requests.at(0).end.outcome, "asks the client");
  EXPECT_EQ(records.requests.at(1).end.outcome, "error -32603");
  EXPECT_EQ(records.requests.at(1).end.plugin, plugin_->identity().name);
}

// A task of a call whose request is recorded.
class RecordedTaskTest : public RequestRecordTest {
 protected:
  RecordedTaskTest() {
    client->keep_record(std::make_shared<RequestRecord>(records, RecordedRequest{}));
    task = std::make_shared<Task>(timers, client, "7", Principal());
    client->record()->note(end_at(plugin_->identity(), {}));
    EXPECT_TRUE(task->begin("id", std::chrono::hours(1), std::make_shared<MemoryBudget>(1000)));
    task->announce("{}");
  }
  std::vector<std::string> outcomes() const {
    std::vector<std::string> outcomes;
    for (const auto& record : records.requests) {
      EXPECT_EQ(record.end.plugin, plugin_->identity().name);
      outcomes.push_back(record.end.outcome);
    }
    return outcomes;
  }

  Timers timers;
  const std::shared_ptr<test::RecordingExchange> client = std::make_shared<test::RecordingExchange>();
  std::shared_ptr<Task> task;
};

TEST_F(RecordedTaskTest, IsRecordedOnceMoreWhenItEnds) {
  client->record()->note(end_at(plugin_->identity(), "ok"));
  task->reply({result_response("7", "{}")});
  task->cancel();
  EXPECT_THAT(outcomes(), ::testing::ElementsAre("task", "ok"));
}

TEST_F(RequestRecordTest, ACallThatEndsAsItBecomesATaskIsRecordedWithItsEnd) {
  Timers timers;
  const auto client = std::make_shared<test::RecordingExchange>();
  client->keep_record(std::make_shared<RequestRecord>(records, RecordedRequest{}));
  const auto task = std::make_shared<Task>(timers, client, "7", Principal());
  client->record()->note(end_at(plugin_->identity(), "ok"));
  EXPECT_TRUE(task->begin("id", std::chrono::hours(1), std::make_shared<MemoryBudget>(1000)));
  task->announce("{}");
  task->reply({result_response("7", "{}")});
  ASSERT_EQ(records.requests.size(), 2U);
  EXPECT_EQ(records.requests[0].end.outcome, "task");
  EXPECT_EQ(records.requests[1].end.outcome, "ok");
  EXPECT_EQ(records.requests[1].end.task, "id");
}

TEST_F(RecordedTaskTest, IsRecordedAsWhatTheHostHasMadeOfIt) {
  task->reply({error_response("7", {-32603, "stopping"})});
  EXPECT_THAT(outcomes(), ::testing::ElementsAre("task", "error -32603"));
}

TEST_F(RecordedTaskTest, IsRecordedWhenItIsCancelled) {
  task->cancel();
  task->reply({result_response("7", "{}")});
  EXPECT_THAT(outcomes(), ::testing::ElementsAre("task", "cancelled"));
}

TEST_F(RecordedTaskTest, IsRecordedWhenItsTimeIsOver) {
  task->expire();
  EXPECT_THAT(outcomes(), ::testing::ElementsAre("task", "expired"));
}

TEST_F(RecordedTaskTest, IsRecordedOnceWhereItIsCancelledWhileItsEndIsWritten) {
  records.holds = true;
  client->record()->note(end_at(plugin_->identity(), "ok"));
  task->reply({result_response("7", "{}")});
  task->cancel();
  EXPECT_THAT(outcomes(), ::testing::ElementsAre("task", "ok"));
  records.thens.at(0)({});
  EXPECT_THAT(task->json(), HasSubstr(R"("status":"cancelled")"));
}

TEST_F(RequestRecordTest, ASessionIsRecordedFromItsBeginningToItsEnd) {
  const auto opened = ask(test::initialize("2025-11-25"));
  const auto id = opened->session().id;
  ASSERT_EQ(records.requests.size(), 1U);
  EXPECT_EQ(records.requests[0].method, "initialize");
  EXPECT_EQ(records.requests[0].session, id);
  EXPECT_EQ(records.requests[0].client, "client");
  const auto exchange = std::make_shared<test::RecordingExchange>();
  endpoint.post(request("1", "prompts/get", R"({"name":"none"})"), in_session(id), exchange);
  ASSERT_EQ(records.requests.size(), 2U);
  EXPECT_EQ(records.requests[1].session, id);
  EXPECT_EQ(records.requests[1].client, "client");
  EXPECT_EQ(records.requests[1].protocol_version, "2025-11-25");
  endpoint.end_session(in_session(id));
  EXPECT_EQ(records.sessions, std::vector{id});
}

TEST_F(RequestRecordTest, EachPartOfABatchHasItsOwn) {
  const auto id = ask(test::initialize("2025-03-26"))->session().id;
  const auto exchange = std::make_shared<test::RecordingExchange>();
  endpoint.post("[" + request("1", "prompts/get", R"({"name":"none"})") + "," +
                    request("2", "prompts/get", R"({"name":"none"})") + "," + request("3", "ping") + "]",
                in_session(id), exchange);
  EXPECT_EQ(records.requests.size(), 3U);
}

}  // namespace
}  // namespace mcph
