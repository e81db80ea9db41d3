// A plugin in a process of its own, as its host sees it. What is promised of every plugin is tested in
// plugin_contract_test.cpp, and what the loader and the source make of it with these, which run with both kinds.
#include "plugin/isolated/worker_plugin.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file_descriptor.hpp"
#include "plugin/component_changes.hpp"
#include "plugin/library/private_folder.hpp"
#include "plugin/plugin_metrics.hpp"
#include "plugin/subscribed_resources.hpp"
#include "runtime/event_loops.hpp"
#include "support/eventually.hpp"
#include "support/recording_call.hpp"
#include "support/standard_error.hpp"
#include "support/temporary_folder.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::RecordingCall;
using test::result;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Takes long tasks and leaves them where they are, as threads do that have much to do, or have ended. What is quick
// goes to the loops.
class IdleExecutor final : public Executor {
 public:
  explicit IdleExecutor(Executor& loops) : loops_(loops) {}
  void run_quick(std::function<void()> work) override {
    if (lacks_memory) throw std::bad_alloc();
    loops_.run_quick(std::move(work));
  }
  void run(std::function<void()> /*task*/) override {}
  void run_long(std::size_t /*bytes*/, std::function<void()> task) override {
    if (lacks_memory) throw std::bad_alloc();
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  void run_all() {
    std::vector<std::function<void()>> tasks;
    {
      const std::lock_guard lock(mutex_);
      tasks.swap(tasks_);
    }
    for (const auto& task : tasks)
      task();
  }
  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
  }

  std::atomic<bool> lacks_memory{false};

 private:
  Executor& loops_;
  mutable std::mutex mutex_;
  std::vector<std::function<void()>> tasks_;
};

class WorkerPluginTest : public ::testing::Test {
 protected:
  explicit WorkerPluginTest(std::chrono::milliseconds answer_time = 20s)
      : workers_(
            {.program = MCP_TEST_WORKER, .answer_time = answer_time},
            [this]() -> boost::asio::io_context& { return threads_.next_context(); }, threads_) {}
  ~WorkerPluginTest() override {
    if (plugin_ != nullptr) plugin_->stop(10s);
  }

  Result<std::unique_ptr<WorkerPlugin>> create(const std::string& configuration) {
    return create(configuration, workers_);
  }
  Result<std::unique_ptr<WorkerPlugin>> create(const std::string& configuration, Workers& workers) {
    auto copy = copies_.copy(MCP_TEST_FIXTURES "/unit_actor.so");
    if (copy.has_error()) return copy.error();
    setup_.configuration = configuration;
    return WorkerPlugin::create(std::make_shared<const PrivateCopy>(*std::move(copy)), setup_, workers, log_);
  }
  std::string refusal_of(const std::string& configuration) {
    const auto created = create(configuration);
    return created ? "accepted" : created.error().message;
  }
  // Described and started.
  WorkerPlugin& load(const std::string& configuration = "{}") {
    plugin_ = create(configuration).value();
    EXPECT_TRUE(plugin_->describe());
    EXPECT_TRUE(plugin_->start());
    return *plugin_;
  }
  std::shared_ptr<RecordingCall> begin(const std::string& tool, const std::string& arguments = "{}") {
    auto call = std::make_shared<RecordingCall>(tool, arguments);
    plugin_->invoke(call);
    return call;
  }
  std::string call(const std::string& tool, const std::string& arguments = "{}") {
    return begin(tool, arguments)->end();
  }

  bool has_logged_a_place(const std::string& who) const {
    const auto text = captured_.text();
    const auto begin = text.find("plugin backtrace " + who + " text=\"a thread that runs the plugin");
    return begin != std::string::npos && text.find("text=actor.so+0x", begin) != std::string::npos;
  }

  PluginSetup usual_setup() {
    return {.file = "/components/tools/actor.so",
            .digest = "0123456789abcdef",
            .data_directory = {.root = temporary_.path(), .place = "data"},
            .events = {.components_changed =
                           [this](const auto& changes) {
                             changes->described();
                             changes->served();
                             ++changes_;
                           },
                       .resource_updated = [this](std::string uri) { updated_ = std::move(uri); },
                       .gave_up = [this](const Error&) { gave_up_ = true; }}};
  }

  const test::TemporaryFolder temporary_;
  StderrLog log_{Log::Level::warning, StderrLog::Format::text};
  const test::StandardErrorCapture captured_;
  PrivateFolder copies_ = *PrivateFolder::create({temporary_.path()});
  EventLoops threads_{2, 4};
  Workers workers_;
  std::atomic<int> changes_{0};
  std::string updated_;
  std::atomic<bool> gave_up_{false};
  PluginSetup setup_ = usual_setup();
  std::unique_ptr<WorkerPlugin> plugin_;
};

// Of those that do not answer.
class SilentWorkerTest : public WorkerPluginTest {
 protected:
  SilentWorkerTest() : WorkerPluginTest(5s) {}
};

TEST_F(WorkerPluginTest, KnowsWhoItIs) {
  const auto& identity = load().identity();
  EXPECT_EQ(identity.file, "/components/tools/actor.so");
  EXPECT_EQ(identity.name, "actor");
  EXPECT_EQ(identity.version, "1.0.0");
  EXPECT_EQ(identity.digest, "0123456789abcdef");
  EXPECT_EQ(identity.about.id, "test.actor");
  EXPECT_EQ(identity.about.vendor, "The tests");
  EXPECT_EQ(identity.about.description, "Plays what a test asks of it.");
  EXPECT_EQ(identity.about.url, "https://example.org/actor");
}

TEST_F(WorkerPluginTest, IsRefusedWithTheReasonOfDescribe) {
  plugin_ = *create(R"({"undescribed":"no index"})");
  EXPECT_EQ(plugin_->describe().error().message, "it could not describe its components: no index");
}

TEST_F(WorkerPluginTest, PassesOnWhatThePluginSaysInItsOrder) {
  load();
  const auto reporting = begin("reports");
  EXPECT_EQ(reporting->end(), result("{}"));
  EXPECT_THAT(reporting->heard(), ElementsAre("1.000000/4.000000 a quarter", "log 3 written by the plugin"));
  EXPECT_EQ(updated_, "actor://state");
}

TEST_F(WorkerPluginTest, HearsOfNoProgressThatNobodyWants) {
  load();
  const auto reporting = std::make_shared<RecordingCall>("reports");
  reporting->hears_progress = false;
  plugin_->invoke(reporting);
  EXPECT_EQ(reporting->end(), result("{}"));
  EXPECT_THAT(reporting->heard(), ElementsAre("log 3 written by the plugin"));
}

TEST_F(WorkerPluginTest, GivesThePluginWhatItIsPromised) {
  load(R"({"a":"setting"})");
  const auto promised = result(R"({"configuration":{"a":"setting"},"context":{"protocolVersion":"2026-07-28"},)"
                               R"("dataDirectory":")" +
                               (temporary_.path() / "data").string() + R"("})");
  EXPECT_EQ(call("tells_what_it_got"), promised);
  EXPECT_EQ(call("tells_what_it_got"), promised) << "the second time the host need not be asked";
}

TEST_F(WorkerPluginTest, TellsThePluginWhoCallsAndNothingOfACallThatIsNone) {
  load();
  EXPECT_EQ(call("asks_who_calls"), result(R"({"own":{"principal":{"id":"ada"}},"stranger":""})"));
}

TEST_F(WorkerPluginTest, TellsACallItsDeadlineBeforeThePluginIsGivenIt) {
  load();
  const auto call = begin("echo");
  EXPECT_TRUE(call->deadline());
  call->end();
}

TEST_F(WorkerPluginTest, TakesLongTextsBothWays) {
  load();
  const std::string arguments = R"({"text":")" + std::string(3'000'000, 'x') + "\"}";
  EXPECT_TRUE(call("echo", arguments) == result(R"({"arguments":)" + arguments + R"(,"name":"echo"})"));
}

TEST_F(WorkerPluginTest, SaysThatACallIsTooLongForIt) {
  load();
  EXPECT_EQ(call("echo", R"({"text":")" + std::string(std::size_t{64} << 20, 'x') + "\"}"),
            R"(error {"code":-32603,"message":"plugin actor did not get the call: it has more than the 67108864 bytes )"
            R"(that a plugin in a process of its own may be given"})");
  EXPECT_EQ(call("echo"), result(R"({"arguments":{},"name":"echo"})"));
}

TEST_F(WorkerPluginTest, CutsOffALongMessageAtTheEndOfACharacter) {
  load();
  const auto reporting = begin("reports_at_length");
  EXPECT_EQ(reporting->end(), result("{}"));
  std::string message = "x";
  while (message.size() < 32'767)
    message += "\xC3\xA4";
  EXPECT_THAT(reporting->heard(), ElementsAre("1.000000/4.000000 " + message, "log 1 " + message));
  const std::string reason(100'000, 'x');
  EXPECT_THAT(refusal_of(R"({"create":")" + reason + "\"}"), StartsWith("it could not be set up: xxx"));
}

// One whose long answers wait to be passed on.
class BusyHostTest : public WorkerPluginTest {
 protected:
  BusyHostTest() {
    plugin_ = *create("{}", busy_workers_);
    EXPECT_TRUE(plugin_->describe());
    EXPECT_TRUE(plugin_->start());
  }
  ~BusyHostTest() override {
    plugin_->stop(10s);
    plugin_.reset();
    // What is left of the plugin there uses the executor.
    threads_.stop();
    EXPECT_TRUE(threads_.join(test::patience));
  }

  std::shared_ptr<RecordingCall> begin_unawaited() {
    return begin("echo", R"({"text":")" + std::string(100'000, 'x') + "\"}");
  }
  // Once the plugin has answered.
  std::shared_ptr<RecordingCall> begin_long() {
    const auto before = executor_.waiting();
    auto call = begin_unawaited();
    EXPECT_TRUE(eventually([&] { return executor_.waiting() > before; }));
    return call;
  }

  IdleExecutor executor_{threads_};
  Workers busy_workers_{{.program = MCP_TEST_WORKER, .answer_time = 60s},
                        [this]() -> boost::asio::io_context& { return threads_.next_context(); },
                        executor_};
};

TEST_F(BusyHostTest, HasACallInFlightUntilItsAnswerIsPassedOn) {
  const auto call = begin_long();
  EXPECT_EQ(plugin_->calls_in_flight(), 1U);
  EXPECT_FALSE(call->ended);
  executor_.run_all();
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
  EXPECT_THAT(call->end(), StartsWith("result "));
}

TEST_F(BusyHostTest, ReadsAFewLongAnswersAndTheOthersWhenThoseArePassedOn) {
  std::vector<std::shared_ptr<RecordingCall>> calls;
  for (int i = 0; i < 4; ++i)
    calls.push_back(begin_long());
  for (int i = 0; i < 8; ++i)
    calls.push_back(begin_unawaited());
  calls.push_back(begin("echo"));
  ASSERT_TRUE(eventually([&] { return calls.back()->claimed(); }));
  EXPECT_EQ(executor_.waiting(), 4U);
  EXPECT_TRUE(eventually([&] {
    EXPECT_LE(executor_.waiting(), 4U);
    executor_.run_all();
    return plugin_->calls_in_flight() == 0U;
  }));
  for (const auto& call : calls)
    EXPECT_THAT(call->end(), StartsWith("result "));
}

TEST_F(BusyHostTest, EndsAWorkerWhoseLongAnswersWaitToBePassedOn) {
  std::vector<std::shared_ptr<RecordingCall>> calls;
  for (int i = 0; i < 4; ++i)
    calls.push_back(begin_long());
  const auto last = begin_unawaited();
  ASSERT_TRUE(eventually([&] { return last->claimed(); }));
  EXPECT_TRUE(plugin_->stop(10s));
  EXPECT_EQ(executor_.waiting(), 4U) << "what it has left is as much";
  EXPECT_THAT(last->end(), StartsWith("error "));
  executor_.run_all();
  for (const auto& call : calls)
    EXPECT_THAT(call->end(), StartsWith("result "));
}

TEST_F(BusyHostTest, ServesCallsThoughThereIsNoMemoryToLookForTheirAnswers) {
  executor_.lacks_memory = true;
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(call("echo"), StartsWith("result "));
}

TEST_F(BusyHostTest, RefusesACallForWhoseLongAnswerThereIsNoMemory) {
  executor_.lacks_memory = true;
  EXPECT_EQ(begin_unawaited()->end(),
            R"(error {"code":-32603,"message":"the host could not handle what the plugin answered: std::bad_alloc"})");
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
}

TEST_F(BusyHostTest, AnswersItInThePluginsSteadAtTheEndAndHoldsItNoMore) {
  std::weak_ptr<RecordingCall> trace;
  {
    const auto call = begin_long();
    trace = call;
    EXPECT_EQ(plugin_->fail_all("the server is stopping"), 1U);
    EXPECT_EQ(call->end(), R"(error {"code":-32603,"message":"plugin actor: the server is stopping"})");
    EXPECT_EQ(plugin_->calls_in_flight(), 0U);
  }
  EXPECT_TRUE(eventually([&] { return trace.expired(); }))
      << "although the task that would have passed it on has not run";
  executor_.run_all();
}

TEST_F(WorkerPluginTest, HasACallInFlightWhoseAnswerWaitsForWhatItHasChanged) {
  setup_.events.components_changed = [](const auto&) {};
  // A busy machine may take longer than the answer waits, but not always.
  EXPECT_TRUE(eventually([&] {
    load();
    const auto began = std::chrono::steady_clock::now();
    const auto call = begin("changes_its_components");
    EXPECT_TRUE(eventually([&] { return plugin_->status().calls.p50 > 0us; })) << "it is answered";
    const bool has_ended = call->ended;
    const auto failed = plugin_->fail_all("the server is stopping");
    if (std::chrono::steady_clock::now() - began >= ComponentChanges::patience) return false;
    EXPECT_FALSE(has_ended);
    EXPECT_EQ(failed, 1U);
    EXPECT_EQ(call->end(), R"(error {"code":-32603,"message":"plugin actor: the server is stopping"})");
    return true;
  }));
}

TEST_F(WorkerPluginTest, PassesOnACancellationWithItsReason) {
  load();
  const auto waiting = begin("waits_for_cancel");
  ASSERT_TRUE(waiting->begun());
  waiting->cancel(CancelReason::deadline);
  EXPECT_EQ(waiting->end(), result(R"({"heard":2,"asked":2})"));
}

TEST_F(WorkerPluginTest, HearsOnlyTheFirstCompletion) {
  load();
  EXPECT_EQ(call("completes_twice"), result(R"({"completion":1})"));
  EXPECT_EQ(call("completes_a_stranger"), result("{}"));
  EXPECT_TRUE(eventually([&] { return captured_.text().find("unknown or completed already") != std::string::npos; }));
}

TEST_F(WorkerPluginTest, ReportsOneThatCompletesTheCallThatIsNone) {
  load();
  EXPECT_EQ(call("completes_call_0"), result("{}"));
  EXPECT_TRUE(eventually([&] {
    return captured_.text().find("it completed call 0, which is unknown or completed already") != std::string::npos;
  }));
}

std::string forging(Frame::Kind kind, const std::string& call = "another") {
  return R"({"forges":")" + std::to_string(static_cast<int>(kind)) + R"(","forged_call":")" + call + "\"}";
}

TEST_F(WorkerPluginTest, EndsOneThatSendsALongTextWhereNobodyAskedForOne) {
  using Kind = Frame::Kind;
  for (const auto kind : {Kind::ready, Kind::failed, Kind::progressed, Kind::said, Kind::logged,
                          Kind::components_changed, Kind::resource_updated, Kind::context_query, Kind::caller_query,
                          Kind::server_info_query, Kind::subscriptions_query, Kind::subscriptions_taken,
                          Kind::store_query, Kind::metrics_recorded, Kind::crashed, Kind::stack_line}) {
    load(forging(kind));
    const auto kept = begin("keeps_the_call");
    ASSERT_TRUE(kept->begun());
    begin("forges");
    EXPECT_THAT(kept->end(), HasSubstr("its process was killed, because it sent a long text that nobody had asked for"))
        << static_cast<int>(kind);
    plugin_->stop(10s);
  }
}

TEST_F(WorkerPluginTest, EndsOneThatSendsGarbageForItsStoreOrItsMetrics) {
  for (const auto kind : {Frame::Kind::store_query, Frame::Kind::metrics_recorded}) {
    load(R"({"forged_times":"1","forges":")" + std::to_string(static_cast<int>(kind)) + "\"}");
    const auto kept = begin("keeps_the_call");
    ASSERT_TRUE(kept->begun());
    begin("forges_short");
    EXPECT_THAT(kept->end(), HasSubstr("its process was killed, because it sent the host what a worker does not send"))
        << static_cast<int>(kind);
    plugin_->stop(10s);
  }
}

TEST_F(WorkerPluginTest, TakesAnyNumberOfNewsForTaken) {
  load(R"({"forged_times":"10000","forges":")" + std::to_string(static_cast<int>(Frame::Kind::subscriptions_taken)) +
       "\"}");
  plugin_->subscriptions_changed({.added = {"a://x"}});
  EXPECT_EQ(call("forges_short"), result("{}"));
  EXPECT_THAT(call("tells_subscriptions"), HasSubstr(R"("all":["a://x"])"));
  EXPECT_EQ(call("forges_short"), result("{}"));
  plugin_->subscriptions_changed({.removed = {"a://x"}});
  EXPECT_EQ(call("echo"), result(R"({"arguments":{},"name":"echo"})"));
}

TEST_F(WorkerPluginTest, EndsOneThatSendsALongerDescriptionThanAHostTakes) {
  const auto ready = std::to_string(static_cast<int>(Frame::Kind::ready));
  plugin_ = *create(R"({"forges_description":")" + ready + "\"}");
  EXPECT_THAT(plugin_->describe().error().message,
              StartsWith("its process was killed, because it sent a long text that nobody had asked for"));
}

TEST_F(WorkerPluginTest, RefusesADescriptionThatIsTooLong) {
  plugin_ = *create(R"({"describe":")" + std::string(4'194'305, 'x') + "\"}");
  EXPECT_EQ(plugin_->describe().error().message, "its description has more than 4194304 bytes");
}

// Its file is empty: whoever reads it finds that out.
TEST_F(WorkerPluginTest, DoesNotReadALongAnswerToACallThatIsNotInFlight) {
  load(forging(Frame::Kind::completed));
  EXPECT_EQ(call("forges"), result("{}"));
  EXPECT_EQ(call("echo"), result(R"({"arguments":{},"name":"echo"})"));
  EXPECT_EQ(captured_.text(), "");
}

TEST_F(WorkerPluginTest, DoesNotReadAnAnswerThatIsLongerThanItMayBe) {
  setup_.limits.result_bytes = 1'000'000;
  load(forging(Frame::Kind::completed, "own"));
  EXPECT_THAT(call("forges"),
              HasSubstr("answered with 20000000 bytes, more than the 1000000 that limits.resultBytes allows"));
  EXPECT_EQ(call("echo"), result(R"({"arguments":{},"name":"echo"})"));
}

TEST_F(WorkerPluginTest, FailsItsCallsWhenItCrashesAndServesTheNextOnes) {
  load();
  const auto kept = begin("keeps_the_call");
  ASSERT_TRUE(kept->begun());
  EXPECT_EQ(call("crashes"),
            R"(error {"code":-32603,"message":"plugin actor: its process was killed by SIGABRT (Aborted) )"
            R"(while it served crashes, one of 2 calls that it had"})");
  EXPECT_THAT(kept->end(), HasSubstr("while it served keeps_the_call"));
  EXPECT_EQ(call("echo"), result(R"({"arguments":{},"name":"echo"})"));
}

// Gauges say how it is now; what was counted has been so.
TEST_F(WorkerPluginTest, ForgetsTheGaugesOfAProcessThatHasEndedAndGoesOnCounting) {
  load();
  const auto series_of = [&](std::size_t metric) {
    const auto all = plugin_->metrics()->all();
    return metric < all.size() ? all[metric].series : std::map<PluginMetrics::Labels, PluginMetrics::Series>{};
  };
  const auto counted = [&] { return series_of(0)[PluginMetrics::Labels{{"kind", "a"}}].value; };
  call("records_metrics");
  ASSERT_TRUE(eventually([&] { return series_of(1).size() == 1; }));
  EXPECT_THAT(call("crashes"), HasSubstr("SIGABRT"));
  EXPECT_TRUE(eventually([&] { return series_of(1).empty(); }));
  EXPECT_EQ(counted(), 2);
  EXPECT_EQ(call("records_metrics"), result(R"({"refused":true})"));
  EXPECT_TRUE(eventually([&] { return series_of(1).size() == 1 && counted() == 4; }));
}

TEST_F(WorkerPluginTest, SaysWhatIsLeftOutBecauseItsEarlierProcessesHaveCountedToo) {
  load();
  const auto series = [&] {
    const auto all = plugin_->metrics()->all();
    return all.empty() ? std::size_t{0} : all.front().series.size();
  };
  call("records_many_series");
  ASSERT_TRUE(eventually([&] { return series() == 600; }));
  EXPECT_THAT(call("crashes"), HasSubstr("SIGABRT"));
  EXPECT_EQ(call("records_many_series"), result("{}"));
  EXPECT_TRUE(eventually([&] {
    return captured_.text().find("what it records is left out: the metric") != std::string::npos;
  })) << captured_.text();
  EXPECT_EQ(series(), 1000U);
}

// As a client calls again that is quicker than the host's own account of the crash.
TEST_F(WorkerPluginTest, KeepsACallThatComesWhileOthersFailForTheNextProcess) {
  load();
  const auto next = std::make_shared<RecordingCall>("echo", "{}");
  const auto fatal = std::make_shared<RecordingCall>("crashes", "{}");
  fatal->on_end = [&] { plugin_->invoke(next); };
  plugin_->invoke(fatal);
  EXPECT_THAT(fatal->end(), HasSubstr("while it served crashes"));
  EXPECT_EQ(next->end(), result(R"({"arguments":{},"name":"echo"})"));
}

TEST_F(WorkerPluginTest, RefusesOneThatDiesBetweenTwoQueries) {
  plugin_ = *create("{}");
  ::kill(plugin_->status().pid, SIGALRM);
  const std::string end = "its process was killed by SIGALRM (Alarm clock)";
  ASSERT_TRUE(eventually([&] { return plugin_->status().pid == 0; }));
  EXPECT_EQ(plugin_->describe().error().message, end);
  EXPECT_EQ(plugin_->start().error().message, end);
}

TEST_F(WorkerPluginTest, GivesUpAfterTooManyCrashes) {
  setup_.restarts = {.crashes = 3, .first_delay = 1ms};
  load();
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(call("crashes"), HasSubstr("SIGABRT"));
    if (i == 2) break;
    EXPECT_TRUE(eventually([&] { return call("echo").starts_with("result"); }));
  }
  EXPECT_TRUE(eventually([&] { return gave_up_.load(); }));
  EXPECT_THAT(call("echo"), HasSubstr("plugin actor is not running"));
}

TEST_F(WorkerPluginTest, SaysWhenAnotherDescriptionComesOfARestart) {
  load();
  call("changes_its_components");
  EXPECT_TRUE(eventually([&] { return changes_ == 1; }));
  EXPECT_THAT(*plugin_->describe(), HasSubstr("changed"));
  call("crashes");
  EXPECT_TRUE(eventually([&] { return changes_ == 2; })) << "it has forgotten that change";
}

// Its description is of before its start, and it is not described again until it is ready.
TEST_F(WorkerPluginTest, SaysThatAStartAnewHasChangedTheComponentsWhenItCanBeDescribed) {
  const auto was_ready = std::make_shared<std::atomic<bool>>(false);
  setup_.events.components_changed = [this, was_ready](const auto& changes) {
    changes->described();
    changes->served();
    *was_ready = plugin_->status().state == PluginState::serving;
    ++changes_;
  };
  load(R"({"start_changes":")" + (temporary_.path() / "more").string() + R"("})");
  temporary_.write("more", "");
  call("crashes");
  ASSERT_TRUE(eventually([&] { return changes_ == 1; }));
  EXPECT_TRUE(*was_ready);
  EXPECT_THAT(*plugin_->describe(), HasSubstr("changed"));
}

TEST_F(WorkerPluginTest, SaysWhyOneThatIsServedWasNotDescribedAgain) {
  load(R"({"dies":"describe again"})");
  const auto description = plugin_->describe();
  ASSERT_TRUE(description.has_error());
  EXPECT_THAT(description.error().message, HasSubstr("SIGABRT"));
  EXPECT_TRUE(description.error().may_pass()) << "it is started anew";
  EXPECT_TRUE(eventually([&] { return call("echo").starts_with("result"); }));
}

TEST_F(SilentWorkerTest, KillsOneThatIsServedAndHangsWhileItIsDescribedAgain) {
  load(R"({"hangs":"describe again"})");
  const auto description = plugin_->describe();
  ASSERT_TRUE(description.has_error());
  EXPECT_THAT(description.error().message, HasSubstr("did not answer within 5 s"));
  EXPECT_TRUE(eventually([&] { return call("echo").starts_with("result"); }));
}

TEST_F(WorkerPluginTest, RefusesOneWithTheReasonOfItsCreate) {
  EXPECT_EQ(refusal_of(R"({"create":"no license"})"), "it could not be set up: no license");
}

TEST_F(SilentWorkerTest, KillsOneThatHangs) {
  EXPECT_EQ(refusal_of(R"({"hangs":"create"})"),
            "its process was killed, because it did not answer within 5 s while it was loading the plugin and "
            "setting it up");
  plugin_ = *create(R"({"hangs":"describe"})");
  EXPECT_THAT(plugin_->describe().error().message, HasSubstr("while it was describing its components"));
  plugin_ = *create(R"({"hangs":"start"})");
  EXPECT_TRUE(plugin_->describe());
  EXPECT_THAT(plugin_->start().error().message, HasSubstr("while it was starting"));
  load(R"({"hangs":"stop"})");
  EXPECT_TRUE(plugin_->stop(50ms));
  EXPECT_THAT(captured_.text(), HasSubstr("was killed, because it did not stop in time"));
}

TEST_F(SilentWorkerTest, LogsWhereOneHangs) {
  EXPECT_THAT(refusal_of(R"({"hangs":"create"})"), HasSubstr("did not answer"));
  EXPECT_TRUE(eventually([&] { return has_logged_a_place("file=/components/tools/actor.so"); })) << captured_.text();
  load(R"({"hangs":"stop"})").stop(5s);  // in which it has come to that
  EXPECT_TRUE(has_logged_a_place("plugin=actor")) << captured_.text();
}

TEST_F(SilentWorkerTest, TakesNoAnswerFromOneThatIsAboutToBeEnded) {
  plugin_ = *create(R"({"wakes":"start"})");
  EXPECT_TRUE(plugin_->describe());
  EXPECT_THAT(plugin_->start().error().message, HasSubstr("did not answer within 5 s while it was starting"));
  EXPECT_EQ(plugin_->status().pid, 0);
}

TEST_F(WorkerPluginTest, GivesNoCallToOneThatIsAboutToBeEnded) {
  setup_.limits.concurrent_calls = 1;
  setup_.limits.call_time = 10s;   // for which the call waits that has to be given to the next process
  setup_.limits.cpu_percent = 10;  // what rests says where it is, too
  load();
  const auto hanging = begin("computes_for_ever");
  EXPECT_TRUE(eventually([&] { return has_logged_a_place("plugin=actor"); })) << captured_.text();
  EXPECT_EQ(call("echo"), result(R"({"arguments":{},"name":"echo"})"));
  EXPECT_THAT(
      hanging->end(),
      HasSubstr(
          "because computes_for_ever took longer than the 10 s that limits.callTimeMs allows and did not heed its "
          "cancellation\""));
}

// Stops the first thread of a process, as a debugger does at a breakpoint. A process of its own, because no host debugs
// its workers.
class Debugger {
 public:
  explicit Debugger(int process) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
    const FileDescriptor other(ends[1]);
    link_ = FileDescriptor(ends[0]);
    debugger_ = ::fork();
    if (debugger_ == 0) debug(process, other.get());
    char attached = 0;
    attached_ = ::read(link_.get(), &attached, 1) == 1 && attached == 1;
  }
  Debugger(const Debugger&) = delete;
  Debugger& operator=(const Debugger&) = delete;
  ~Debugger() { leave(); }

  bool attached() const { return attached_; }
  void leave() {
    if (const int debugger = std::exchange(debugger_, 0); debugger > 0) {
      ::shutdown(link_.get(), SHUT_WR);
      ::waitpid(debugger, nullptr, 0);
    }
  }

 private:
  // Until it is to leave or the process has ended, which it has to hear of before anybody else can.
  [[noreturn]] static void debug(int process, int link) {
    const char attached = ::ptrace(PTRACE_SEIZE, process, nullptr, nullptr) == 0 &&
                          ::ptrace(PTRACE_INTERRUPT, process, nullptr, nullptr) == 0 &&
                          ::waitpid(process, nullptr, __WALL) > 0;
    [[maybe_unused]] const auto told = ::write(link, &attached, 1);
    pollfd left{link, POLLIN, 0};
    int status = 0;
    while (::poll(&left, 1, 10) == 0) {
      if (::waitpid(process, &status, __WALL | WNOHANG) > 0 && !WIFSTOPPED(status)) ::_exit(0);
    }
    ::ptrace(PTRACE_DETACH, process, nullptr, nullptr);
    ::_exit(0);
  }

  FileDescriptor link_;
  int debugger_ = 0;
  bool attached_ = false;
};

constexpr auto why_no_debugger = "processes cannot be traced here";

TEST_F(SilentWorkerTest, DoesNotEndOneThatIsDebuggedWhileItStarts) {
  plugin_ = *create(R"({"wakes":"start"})");
  EXPECT_TRUE(plugin_->describe());
  const auto process = plugin_->status().pid;
  std::atomic<bool> started{false};
  std::thread starting([&] { started = plugin_->start().has_value(); });
  Debugger debugger(process);
  const auto words = "plugin is being debugged file=/components/tools/actor.so pid=" + std::to_string(process);
  const bool is_told = eventually([&] { return captured_.text().find(words) != std::string::npos; });
  debugger.leave();
  // Until it is where it waits for one.
  while (!started && debugger.attached() && plugin_->status().pid == process) {
    ::kill(process, SIGQUIT);
    std::this_thread::sleep_for(10ms);
  }
  starting.join();
  if (!debugger.attached()) GTEST_SKIP() << why_no_debugger;
  EXPECT_TRUE(started);
  EXPECT_TRUE(is_told);
}

TEST_F(WorkerPluginTest, CancelsNoCallOfOneThatIsDebugged) {
  setup_.limits.call_time = 300ms;
  load();
  Debugger debugger(plugin_->status().pid);
  if (!debugger.attached()) GTEST_SKIP() << why_no_debugger;
  const auto waiting = begin("waits_for_cancel");
  EXPECT_TRUE(eventually([&] { return captured_.text().find("plugin is being debugged") != std::string::npos; }));
  EXPECT_EQ(waiting->cancelled(), CancelReason::none);
  debugger.leave();
  const auto cancelled = result(R"({"heard":2,"asked":2})");
  // On a busy machine a call may miss the time that it has to heed that, but not always.
  EXPECT_TRUE(waiting->end() == cancelled || eventually([&] { return call("waits_for_cancel") == cancelled; }));
}

// Whoever replaces or disables a plugin, or ends the host, does not wait for somebody who looks at it.
TEST_F(WorkerPluginTest, StopsOneInTimeThatIsDebugged) {
  load(R"({"hangs":"stop"})");
  Debugger debugger(plugin_->status().pid);
  if (!debugger.attached()) GTEST_SKIP() << why_no_debugger;
  EXPECT_TRUE(plugin_->stop(50ms));
  EXPECT_THAT(captured_.text(), HasSubstr("was killed, because it did not stop in time"));
}

// Its signals stop it, instead of ending it, for a tracer that does not know that it is one.
TEST_F(SilentWorkerTest, GivesNoMoreTimeToOneThatMadeTheHostItsTracer) {
  EXPECT_THAT(refusal_of(R"({"traced_by":"host","dies":"create"})"), HasSubstr("did not answer within 5 s"));
}

TEST_F(SilentWorkerTest, GivesNoMoreTimeToOneThatIsTracedByItsOwnChild) {
  EXPECT_THAT(refusal_of(R"({"traced_by":"child","hangs":"create"})"), HasSubstr("did not answer within 5 s"));
  EXPECT_THAT(captured_.text(), Not(HasSubstr("the child cannot trace")));
}

TEST_F(WorkerPluginTest, SaysWhereOneCrashedBeforeItServed) {
  const std::string crash = "its process was killed by SIGABRT (Aborted) while it was ";
  EXPECT_EQ(refusal_of(R"({"dies":"create"})"), crash + "loading the plugin and setting it up");
  plugin_ = *create(R"({"dies":"describe"})");
  EXPECT_EQ(plugin_->describe().error().message, crash + "describing its components");
  EXPECT_EQ(plugin_->start().error().message, crash + "describing its components");
  plugin_ = *create(R"({"dies":"start"})");
  EXPECT_TRUE(plugin_->describe());
  EXPECT_EQ(plugin_->start().error().message, crash + "starting (on_start)");
}

TEST_F(WorkerPluginTest, RefusesOneThatDiesWithWhatItPrintedLast) {
  EXPECT_EQ(refusal_of(R"({"prints":"what():  the licence has expired","dies":"create"})"),
            "its process was killed by SIGABRT (Aborted) while it was loading the plugin and setting it up; it printed "
            "last: what():  the licence has expired");
}

TEST_F(WorkerPluginTest, TellsOfACrashWithWhatItsProcessPrintedLast) {
  load(R"({"prints":"out of luck"})");
  const auto fatal = std::make_shared<RecordingCall>("crashes");
  std::optional<LastError> known;
  fatal->on_end = [&] {
    known = plugin_->status().calls.last_error;
    plugin_->call_failed("crashes: what its client is told");
  };
  plugin_->invoke(fatal);
  EXPECT_EQ(fatal->end(),
            R"(error {"code":-32603,"message":"plugin actor: its process was killed by SIGABRT (Aborted) )"
            R"(while it served crashes"})")
      << "which is not for clients";
  ASSERT_TRUE(known) << "as soon as the client has its error";
  EXPECT_EQ(known->what, "its process was killed by SIGABRT (Aborted); it printed last: out of luck");
  EXPECT_EQ(plugin_->status().calls.last_error->what, known->what);
  EXPECT_TRUE(eventually([&] { return captured_.text().find("printed=\"out of luck\"") != std::string::npos; }));
}

TEST_F(WorkerPluginTest, TakesNothingThatItPrintsForWhatItsProcessSays) {
  load("{\"prints\":\"the plugin crashed: SIGSEGV; backtrace:\n0x123\"}");
  EXPECT_THAT(call("crashes"), HasSubstr("its process was killed by SIGABRT (Aborted) while it served crashes"));
  EXPECT_TRUE(eventually([&] { return captured_.text().find("the plugin crashed: SIGABRT") != std::string::npos; }));
  EXPECT_THAT(captured_.text(), Not(HasSubstr("text=\"the plugin crashed: SIGSEGV")));
  EXPECT_THAT(captured_.text(), HasSubstr("printed=\"the plugin crashed: SIGSEGV; backtrace: | 0x123\""));
}

TEST_F(WorkerPluginTest, IsNotRestartedWhileItIsStopped) {
  for (int i = 0; i < 10; ++i) {
    load();
    begin("crashes");
    EXPECT_TRUE(plugin_->stop(1s));
    EXPECT_EQ(plugin_->status().pid, 0) << "no process has followed";
  }
}

}  // namespace
}  // namespace mcph
