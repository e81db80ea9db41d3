#include <future>

#include <gtest/gtest.h>

#include "protocol/state/tasks.hpp"
#include "support/eventually.hpp"
#include "support/principals.hpp"
#include "support/recording_exchange.hpp"

namespace mcph {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Caller ada{.protocol_version = "2026-07-28",
                 .capabilities = {{"extensions", {{tasks_extension, Json::object()}}}},
                 .principal = test::principal("ada")};
const Caller bob{.protocol_version = "2026-07-28", .principal = test::principal("bob")};
constexpr seconds an_hour = hours(1);
const OrderedJson roots = {{"a", {{"method", "roots/list"}, {"params", OrderedJson::object()}}}};

class RecordingTaskListener final : public TaskListener {
 public:
  void task_changed(const Task& /*task*/, const std::string& json) override {
    heard.push_back(Json::parse("{" + json + "}"));
  }

  std::vector<Json> heard;
};

class TaskTest : public ::testing::Test {
 protected:
  explicit TaskTest(TaskOptions options = {.after = milliseconds(1)}) : tasks_(options, timers_, R"({"m":1})") {}
  // As the server does it.
  ~TaskTest() override { timers_.stop(); }

  std::shared_ptr<Task> watch() { return tasks_.watch(client_, "7", ada, TaskSupport::undeclared); }
  // The client's answer once the call has become a task.
  Json created() {
    EXPECT_TRUE(test::eventually([&] { return !client_->replies().empty(); }));
    return Json::parse(client_->body())["result"];
  }
  static Json json(const Task& task) { return Json::parse("{" + task.json() + "}"); }
  static Reply result() { return {R"({"jsonrpc":"2.0","id":7,"result":{"content":[]}})"}; }

  Timers timers_;
  Tasks tasks_;
  std::shared_ptr<test::RecordingExchange> client_ = std::make_shared<test::RecordingExchange>();
};

class PatientTaskTest : public TaskTest {
 protected:
  PatientTaskTest() : TaskTest({.after = hours(1)}) {}
};

TEST_F(PatientTaskTest, PassesOnWhatAQuickCallSays) {
  const auto task = watch();
  task->notify("progress");
  task->notify_if_room("log");
  task->reply({"the answer"});
  EXPECT_EQ(client_->notifications(), (std::vector<std::string>{"progress", "log"}));
  EXPECT_EQ(client_->body(), "the answer");
  EXPECT_FALSE(task->begin("id", hours(1), nullptr));
}

TEST_F(PatientTaskTest, EndsWithTheClientThatLeaves) {
  const auto task = watch();
  bool cancelled = false;
  task->on_abandon([&] { cancelled = true; });
  client_->abandon();
  EXPECT_TRUE(cancelled);
  EXPECT_FALSE(task->begin("id", hours(1), nullptr));
}

TEST_F(PatientTaskTest, IsNotMadeOfACallThatHasAskedItsClient) {
  const auto task = watch();
  EXPECT_FALSE(task->wait_for_input(roots, 1, 0, an_hour, [](const Result<Json>&) { FAIL(); }));
  EXPECT_FALSE(task->begin("id", hours(1), nullptr));
}

TEST_F(TaskTest, IsAnsweredToTheClientOfACallThatTakesLong) {
  const auto task = watch();
  auto answer = created();
  const auto id = answer["taskId"].get<std::string>();
  EXPECT_EQ(answer["resultType"], "task");
  EXPECT_EQ(answer["status"], "working");
  EXPECT_EQ(answer["ttlMs"], 3'600'000);
  EXPECT_EQ(answer["_meta"], (Json{{"m", 1}}));
  EXPECT_EQ(tasks_.find(id, ada), task);
}

TEST_F(TaskTest, IsUnknownToAnotherPrincipal) {
  const auto task = watch();
  const auto id = created()["taskId"].get<std::string>();
  EXPECT_EQ(tasks_.find(id, bob), nullptr);
  EXPECT_EQ(tasks_.find(id + "x", ada), nullptr);
}

TEST_F(TaskTest, KeepsTheResult) {
  const auto task = watch();
  created();
  task->reply(result());
  EXPECT_EQ(json(*task)["status"], "completed");
  EXPECT_EQ(json(*task)["result"], (Json{{"content", Json::array()}}));
  EXPECT_EQ(client_->replies().size(), 1U);
}

TEST_F(TaskTest, KeepsTheError) {
  const auto task = watch();
  created();
  task->reply({R"({"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"broken"}})"});
  EXPECT_EQ(json(*task)["status"], "failed");
  EXPECT_EQ(json(*task)["error"], (Json{{"code", -32603}, {"message", "broken"}}));
  EXPECT_EQ(json(*task)["statusMessage"], "broken");
  EXPECT_FALSE(json(*task).contains("result"));
}

TEST_F(TaskTest, SaysWhatTheCallSaysOfItsProgress) {
  const auto task = watch();
  created();
  task->say("half way");
  task->notify("a notification");
  task->notify_if_room("another");
  EXPECT_EQ(json(*task)["statusMessage"], "half way");
  EXPECT_TRUE(client_->notifications().empty());
  task->cancel();
  EXPECT_FALSE(json(*task).contains("statusMessage"));
}

TEST_F(TaskTest, AsksUnderKeysThatNeverComeAgain) {
  const auto task = watch();
  created();
  std::vector<Json> resumed;
  const auto resume = [&](const Result<Json>& answers) { resumed.push_back(*answers); };
  ASSERT_TRUE(task->wait_for_input(roots, 1, 0, an_hour, resume));
  EXPECT_EQ(json(*task)["status"], "input_required");
  EXPECT_EQ(json(*task)["inputRequests"], (Json{{"1/a", Json(roots["a"])}}));
  const Json answer = {{"roots", Json::array()}};
  ASSERT_TRUE(task->update({{"1/a", answer}, {"stranger", 7}}));
  EXPECT_EQ(resumed, (std::vector<Json>{{{"a", answer}}}));
  EXPECT_EQ(json(*task)["status"], "working");

  ASSERT_TRUE(task->wait_for_input(roots, 2, 0, an_hour, resume));
  EXPECT_EQ(json(*task)["inputRequests"], (Json{{"2/a", Json(roots["a"])}}));
  ASSERT_TRUE(task->update({{"1/a", answer}}));
  EXPECT_EQ(json(*task)["status"], "input_required");
  EXPECT_EQ(resumed.size(), 1U);
}

TEST_F(TaskTest, RefusesAnAnswerThatIsWrongAndKeepsAsking) {
  const auto task = watch();
  created();
  task->wait_for_input(roots, 1, 0, an_hour, [](const Result<Json>&) { FAIL(); });
  EXPECT_EQ(task->update({{"1/a", {{"roots", 7}}}}).error().message,
            "params.inputResponses.1/a: \"roots\" is not an array");
  EXPECT_EQ(json(*task)["status"], "input_required");
}

TEST_F(TaskTest, GoesOnWithoutAnswersIfItsClientDoesNotGiveAllInTime) {
  const OrderedJson two = {{"a", roots["a"]}, {"b", {{"method", "sampling/createMessage"}}}};
  const auto task = watch();
  created();
  std::promise<Result<Json>> resumed;
  task->wait_for_input(two, 1, 0, seconds(3), [&](Result<Json> answers) { resumed.set_value(std::move(answers)); });
  ASSERT_TRUE(task->update({{"1/a", {{"roots", Json::array()}}}}));
  EXPECT_EQ(resumed.get_future().get().error().message, "The client did not answer sampling/createMessage within 3 s");
  EXPECT_EQ(json(*task)["status"], "working") << "until the call has ended";
  ASSERT_TRUE(task->update({{"1/b", Json::object()}})) << "which nobody waits for now";
}

TEST_F(TaskTest, LetsGoOfWhatHeldThePluginWhileItAsks) {
  const auto task = watch();
  created();
  auto lease = std::make_shared<int>(1);
  const std::weak_ptr<int> trace = lease;
  task->on_abandon([held = std::move(lease)] {});
  task->wait_for_input(roots, 1, 0, an_hour, [](const Result<Json>&) {});
  EXPECT_TRUE(trace.expired());
}

TEST_F(TaskTest, HoldsWhatItsMessageTakesUntilTheCallHasEnded) {
  const auto share = std::make_shared<const int>();
  client_->hold_memory(share);
  const auto task = watch();
  created();
  EXPECT_EQ(share.use_count(), 2) << "the call goes on";
  task->reply(result());
  EXPECT_EQ(share.use_count(), 1);
}

TEST_F(TaskTest, HoldsNothingOfItsMessageWhileItWaitsForItsClient) {
  const auto share = std::make_shared<const int>();
  client_->hold_memory(share);
  const auto task = watch();
  created();
  EXPECT_EQ(share.use_count(), 2);
  task->wait_for_input(roots, 1, 0, an_hour, [](const Result<Json>&) {});
  EXPECT_EQ(share.use_count(), 1) << "what is kept has a bound of its own";
}

TEST_F(PatientTaskTest, HoldsNothingOfItsMessageIfItAsksBeforeItIsAnnounced) {
  const auto share = std::make_shared<const int>();
  client_->hold_memory(share);
  const auto task = watch();
  ASSERT_TRUE(task->begin("id", hours(1), std::make_shared<MemoryBudget>(Tasks::max_memory)));
  task->wait_for_input(roots, 1, 0, an_hour, [](const Result<Json>&) {});
  task->announce("{}");
  EXPECT_EQ(share.use_count(), 1);
}

TEST_F(TaskTest, CancelsTheCallOnce) {
  const auto task = watch();
  created();
  int cancelled = 0;
  task->on_abandon([&] { ++cancelled; });
  task->cancel();
  task->cancel();
  EXPECT_EQ(cancelled, 1);
  EXPECT_EQ(json(*task)["status"], "cancelled");
  task->reply(result());
  EXPECT_EQ(json(*task)["status"], "cancelled");
}

TEST_F(TaskTest, TellsOnceThatItWasCancelled) {
  const auto task = watch();
  created();
  const auto listener = std::make_shared<RecordingTaskListener>();
  task->listen(listener);
  task->cancel();
  ASSERT_EQ(listener->heard.size(), 1U);
  EXPECT_EQ(listener->heard[0]["status"], "cancelled");
}

TEST_F(TaskTest, KeepsNoMoreResultsThanThereIsRoomFor) {
  const auto task = watch();
  created();
  task->reply({result_response("7", '"' + std::string(Tasks::max_memory, 'x') + '"')});
  EXPECT_EQ(json(*task)["status"], "failed");
  EXPECT_EQ(json(*task)["error"]["message"],
            "The result has 67108866 bytes, and results of tasks may have 67108864 together");
}

TEST_F(TaskTest, SmallResultsNeedNoRoom) {
  const auto task = watch();
  created();
  // Which leaves no room for others.
  ASSERT_TRUE(task->wait_for_input(roots, 1, Tasks::max_memory - 1000, an_hour, [](const Result<Json>&) {}));
  const auto other = watch();
  ASSERT_TRUE(test::eventually([&] { return other->has_begun(); }));
  other->reply(result());
  EXPECT_EQ(json(*other)["status"], "completed");
}

TEST_F(TaskTest, FailsWhereThereIsNoRoomToKeepItsCall) {
  const auto task = watch();
  created();
  EXPECT_TRUE(task->wait_for_input(roots, 1, Tasks::max_memory, an_hour, [](const Result<Json>&) { FAIL(); }));
  EXPECT_EQ(json(*task)["status"], "failed");
  EXPECT_EQ(json(*task)["error"]["message"], "There is no room to keep the call until it is answered: 67108864 bytes");
}

TEST_F(TaskTest, RefusesAnswersForWhichThereIsNoRoomAndHasItAgainAfterwards) {
  const OrderedJson two = {{"a", roots["a"]}, {"b", roots["a"]}};
  const auto task = watch();
  created();
  int resumed = 0;
  ASSERT_TRUE(task->wait_for_input(two, 1, Tasks::max_memory - 3000, an_hour, [&](const Result<Json>&) { ++resumed; }));
  ASSERT_TRUE(task->update({{"1/a", {{"roots", Json::array()}}}}));
  EXPECT_EQ(task->update({{"1/b", {{"roots", Json::array()}, {"more", std::string(3000, 'x')}}}}).error().message,
            "params.inputResponses: there is no room to keep them; send less, or try later");
  EXPECT_EQ(resumed, 0);
  ASSERT_TRUE(task->update({{"1/b", {{"roots", Json::array()}}}}));
  EXPECT_EQ(resumed, 1);
  EXPECT_TRUE(task->wait_for_input(roots, 2, Tasks::max_memory - 3000, an_hour, [](const Result<Json>&) {}));
  EXPECT_EQ(json(*task)["status"], "input_required");
}

TEST_F(TaskTest, HasItsRoomUntilItsCallEndsOrNeedsLess) {
  constexpr std::size_t large = 100'000;
  const auto task = watch();
  created();
  const auto has_room_for_another = [&] {
    client_ = std::make_shared<test::RecordingExchange>();
    const auto other = watch();
    created();
    other->wait_for_input(roots, 1, large, an_hour, [](const Result<Json>&) {});
    const auto status = json(*other)["status"];
    other->cancel();
    return status == "input_required";
  };
  task->wait_for_input(roots, 1, Tasks::max_memory - large, an_hour, [](const Result<Json>&) {});
  EXPECT_FALSE(has_room_for_another());
  ASSERT_TRUE(task->update({{"1/a", {{"roots", Json::array()}}}}));
  EXPECT_FALSE(has_room_for_another()) << "the call goes on";
  task->wait_for_input(roots, 2, Tasks::max_memory - 3 * large, an_hour, [](const Result<Json>&) {});
  EXPECT_TRUE(has_room_for_another());
  task->wait_for_input(roots, 3, Tasks::max_memory - large, an_hour, [](const Result<Json>&) {});
  EXPECT_FALSE(has_room_for_another());
  task->reply(result());
  EXPECT_TRUE(has_room_for_another());
}

TEST_F(TaskTest, HasNoMoreListenersThanItMay) {
  const auto task = watch();
  created();
  std::vector<std::shared_ptr<RecordingTaskListener>> listeners(Task::max_listeners);
  for (auto& listener : listeners) {
    listener = std::make_shared<RecordingTaskListener>();
    ASSERT_TRUE(task->listen(listener));
  }
  const auto another = std::make_shared<RecordingTaskListener>();
  EXPECT_FALSE(task->listen(another));
  listeners.pop_back();
  EXPECT_TRUE(task->listen(another));
}

TEST_F(TaskTest, EndsWithTheServer) {
  const auto task = watch();
  const auto id = created()["taskId"].get<std::string>();
  task->wait_for_input(roots, 1, 0, an_hour, [task](const Result<Json>&) {});
  tasks_.end();
  EXPECT_EQ(json(*task)["status"], "cancelled");
  EXPECT_EQ(tasks_.find(id, ada), nullptr);
  timers_.wait_for_running();  // which has made a task of the call, and may still hold it
  EXPECT_EQ(task.use_count(), 1);
}

TEST_F(TaskTest, TellsItsListenersOfEachChange) {
  const auto task = watch();
  created();
  const auto listener = std::make_shared<RecordingTaskListener>();
  task->listen(listener);
  task->wait_for_input(roots, 1, 0, an_hour, [](const Result<Json>&) {});
  ASSERT_TRUE(task->update({{"1/a", {{"roots", Json::array()}}}}));
  task->reply(result());
  ASSERT_EQ(listener->heard.size(), 3U);
  EXPECT_EQ(listener->heard[0]["status"], "input_required");
  EXPECT_EQ(listener->heard[1]["status"], "working");
  EXPECT_EQ(listener->heard[2], json(*task));
}

class BriefTaskTest : public TaskTest {
 protected:
  BriefTaskTest() : TaskTest({.after = milliseconds(1), .lifetime = std::chrono::seconds(0)}) {}
};

TEST_F(BriefTaskTest, IsEndedAndForgottenWhenItsTimeIsOver) {
  const auto task = watch();
  const auto id = created()["taskId"].get<std::string>();
  ASSERT_TRUE(test::eventually([&] { return json(*task)["status"] == "failed"; }));
  EXPECT_EQ(json(*task)["error"]["message"], "The task's time is over");
  EXPECT_EQ(tasks_.find(id, ada), nullptr);
}

TEST(Tasks, AreKnownToClientsThatSaySo) {
  EXPECT_TRUE(Tasks::are_known_to(ada));
  EXPECT_FALSE(Tasks::are_known_to(bob));
}

}  // namespace
}  // namespace mcph
