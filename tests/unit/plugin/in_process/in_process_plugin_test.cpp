// Real libraries, played by tests/unit/fixtures/actor.cpp.
#include "plugin/in_process/in_process_plugin.hpp"

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/library/crash_report.hpp"
#include "plugin/library/private_folder.hpp"
#include "runtime/timers.hpp"
#include "support/eventually.hpp"
#include "support/kept_memory.hpp"
#include "support/manual_executor.hpp"
#include "support/no_threads.hpp"
#include "support/recording_call.hpp"
#include "support/standard_error.hpp"
#include "support/temporary_folder.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using test::RecordingCall;
using test::result;

class InProcessPluginTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<InProcessPlugin>> create(const std::string& library, std::string configuration = "{}") {
    auto copy = copies_.copy(std::string(MCP_TEST_FIXTURES) + "/" + library + ".so");
    if (copy.has_error()) return copy.error();
    setup_.digest = copy->digest();
    auto loaded = PluginLibrary::load(std::make_shared<const PrivateCopy>(*std::move(copy)));
    if (loaded.has_error()) return loaded.error();
    setup_.configuration = std::move(configuration);
    return InProcessPlugin::create(*std::move(loaded), setup_, executor_, log_, timers_);
  }
  InProcessPlugin& load(const std::string& library = "unit_actor", std::string configuration = "{}") {
    auto created = create(library, std::move(configuration));
    if (!created) throw std::runtime_error(created.error().message);
    return *(plugin_ = *std::move(created));
  }
  std::string refusal_of(const std::string& library, std::string configuration) {
    const auto created = create(library, std::move(configuration));
    return created ? "accepted" : created.error().message;
  }

  std::shared_ptr<RecordingCall> begin(const std::string& tool) {
    auto call = std::make_shared<RecordingCall>(tool);
    plugin_->invoke(call);
    return call;
  }
  std::shared_ptr<RecordingCall> call(const std::string& tool) {
    auto call = begin(tool);
    executor_.run_all();
    return call;
  }

  static bool is_mapped(const std::filesystem::path& folder) {
    std::ifstream maps("/proc/self/maps");
    const std::string text((std::istreambuf_iterator<char>(maps)), {});
    return text.find(folder.string()) != std::string::npos;
  }

  std::function<void()> next_task() {
    auto task = std::move(executor_.tasks.front());
    executor_.tasks.pop_front();
    return task;
  }

  PluginSetup usual_setup() const {
    PluginSetup setup;
    setup.file = "/components/tools/actor.so";
    setup.data_directory = {.root = temporary_.path() / "data", .place = "actor"};
    return setup;
  }

  const test::TemporaryFolder temporary_;
  StderrLog log_{Log::Level::warning, StderrLog::Format::text};
  test::ManualExecutor executor_;
  Timers* timers_ = nullptr;
  PrivateFolder copies_ = *PrivateFolder::create({temporary_.path()});
  PluginSetup setup_ = usual_setup();
  std::unique_ptr<InProcessPlugin> plugin_;
};

TEST_F(InProcessPluginTest, KnowsWhoItIs) {
  const auto& identity = load().identity();
  EXPECT_EQ(identity.file, "/components/tools/actor.so");
  EXPECT_EQ(identity.name, "actor");
  EXPECT_EQ(identity.version, "1.0.0");
  EXPECT_EQ(identity.digest.size(), 64U);
  EXPECT_EQ(identity.about.id, "test.actor");
  EXPECT_EQ(identity.about.vendor, "The tests");
  EXPECT_EQ(identity.about.description, "Plays what a test asks of it.");
  EXPECT_EQ(identity.about.url, "https://example.org/actor");
}

TEST_F(InProcessPluginTest, IsDescribedStartedAndStopped) {
  auto& plugin = load("unit_actor", R"({"tools":[]})");
  EXPECT_EQ(*plugin.describe(), R"({"tools":[]})");
  EXPECT_FALSE(plugin.start().has_error());
  EXPECT_TRUE(plugin.stop(1min));
  EXPECT_TRUE(plugin.stop(1min));
}

TEST_F(InProcessPluginTest, IsRefusedWithTheReasonOfCreate) {
  EXPECT_EQ(refusal_of("unit_actor", R"({"create":"no license"})"), "it could not be set up: no license");
  EXPECT_EQ(refusal_of("unit_actor", R"({"create":"says nothing"})"), "it could not be set up and gave no reason");
  EXPECT_EQ(refusal_of("unit_actor", R"({"create":"throw"})"), "create let an exception escape: create has thrown");
}

TEST_F(InProcessPluginTest, IsRefusedWithTheReasonOfStart) {
  EXPECT_EQ(load("unit_actor", R"({"start":"port is taken"})").start().error().message,
            "it could not start: port is taken");
  EXPECT_EQ(load("unit_actor", R"({"start":"throw"})").start().error().message,
            "start let an exception escape: start has thrown");
}

TEST_F(InProcessPluginTest, IsRefusedWhenDescribeThrows) {
  EXPECT_EQ(load("unit_actor", R"({"describe":"throw"})").describe().error().message,
            "describe let an exception escape: describe has thrown");
}

TEST_F(InProcessPluginTest, IsRefusedWithTheReasonOfDescribe) {
  EXPECT_EQ(load("unit_actor", R"({"undescribed":"no index"})").describe().error().message,
            "it could not describe its components: no index");
  EXPECT_EQ(load("unit_actor", R"({"undescribed":"says nothing"})").describe().error().message,
            "it could not describe its components and gave no reason, but status 5");
}

TEST_F(InProcessPluginTest, CompletesACallDuringInvoke) {
  load();
  const auto done = call("echo");
  EXPECT_THAT(done->ends(), ElementsAre(result(R"({"arguments":{},"name":"echo"})")));
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
}

TEST_F(InProcessPluginTest, CompletesACallLater) {
  load();
  const auto kept = call("keeps_the_call");
  EXPECT_FALSE(kept->ended);
  EXPECT_EQ(plugin_->calls_in_flight(), 1U);
  call("completes_kept_calls");
  EXPECT_THAT(kept->ends(), ElementsAre(result(R"({"kept":true})")));
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
}

TEST_F(InProcessPluginTest, TakesTheFirstCompletionAndReportsTheSecond) {
  const test::StandardErrorCapture log;
  load();
  EXPECT_THAT(call("completes_twice")->ends(), ElementsAre(result(R"({"completion":1})")));
  EXPECT_THAT(log.text(), HasSubstr("plugin misbehaved file=/components/tools/actor.so reason=\"it completed call 1, "
                                    "which is unknown or completed already\""));
}

TEST_F(InProcessPluginTest, ReportsTheCompletionOfACallThatIsUnknown) {
  const test::StandardErrorCapture log;
  load();
  EXPECT_THAT(call("completes_a_stranger")->ends(), ElementsAre(result("{}")));
  EXPECT_THAT(log.text(), HasSubstr("it completed call 1000001, which is unknown or completed already"));
}

TEST_F(InProcessPluginTest, TurnsAnEscapedExceptionIntoAnErrorOfThatCallOnly) {
  const test::StandardErrorCapture log;
  load();
  EXPECT_THAT(
      call("throws")->ends(),
      ElementsAre(R"(error {"code":-32603,"message":"plugin actor let an exception escape while it served throws"})"));
  EXPECT_THAT(log.text(), HasSubstr("invoke let an exception escape: the act has failed"));
  EXPECT_THAT(call("echo")->ends().size(), 1U);
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
}

TEST_F(InProcessPluginTest, RunsAsManyCallsAtOnceAsItMay) {
  setup_.limits.concurrent_calls = 2;
  load();
  const auto first = begin("echo");
  const auto second = begin("echo");
  const auto third = begin("echo");
  EXPECT_EQ(executor_.tasks.size(), 2U);
  executor_.run_all();
  EXPECT_TRUE(first->ended && second->ended && third->ended);
}

TEST_F(InProcessPluginTest, RunsOneCallAtATimeWhereThePluginIsSerial) {
  const test::StandardErrorCapture log;
  load("unit_actor_serial");
  const auto first = begin("echo");
  const auto second = begin("echo");
  EXPECT_EQ(executor_.tasks.size(), 1U);
  executor_.run_all();
  EXPECT_TRUE(first->ended && second->ended);
  begin("echo");
  EXPECT_EQ(executor_.tasks.size(), 1U);
  EXPECT_THAT(log.text(), Not(HasSubstr("plugin is at a limit"))) << "it is its own";
}

TEST_F(InProcessPluginTest, HasThePlaceOfACallAgainForWhichThereWasNoMemory) {
  load("unit_actor_serial");
  executor_.lacks_memory = 1;
  EXPECT_THAT(begin("echo")->ends(), ElementsAre(HasSubstr("did not get the call: no memory is left")));
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
  EXPECT_THAT(call("echo")->ends(), ElementsAre(HasSubstr("result ")));
}

TEST_F(InProcessPluginTest, RefusesACallBeyondItsQueue) {
  const test::StandardErrorCapture log;
  setup_.limits = {.concurrent_calls = 1, .calls_in_flight = 2};
  load();
  begin("echo");
  begin("echo");
  EXPECT_THAT(
      begin("echo")->ends(),
      ElementsAre(
          R"(error {"code":-32603,"message":"plugin actor is busy: 2 calls are in flight, as many as limits.callsInFlight allows; try again later"})"));
  executor_.run_all();
  EXPECT_EQ(call("echo")->ends().size(), 1U);
  EXPECT_THAT(log.text(), HasSubstr("warning plugin is at a limit file=/components/tools/actor.so plugin=actor "
                                    "reason=\"1 call runs at once, as many as limits.concurrentCalls allows"));
  EXPECT_THAT(log.text(), HasSubstr("reason=\"2 calls are in flight, as many as limits.callsInFlight allows\""));
}

TEST_F(InProcessPluginTest, TellsThePluginOfACancellation) {
  load();
  const auto waiting = begin("waits_for_cancel");
  std::thread serving(next_task());
  EXPECT_TRUE(test::eventually([&] { return !waiting->heard().empty(); }));
  waiting->cancel(CancelReason::deadline);
  // The plugin may take its time, so whoever cancels does not wait for it.
  EXPECT_FALSE(waiting->ended);
  executor_.run_all();
  serving.join();
  EXPECT_THAT(waiting->ends(), ElementsAre(result(R"({"heard":2,"asked":2})")));
}

TEST_F(InProcessPluginTest, TellsThePluginWhyEveryCallIsCancelled) {
  load();
  const std::vector<std::shared_ptr<RecordingCall>> waiting = {begin("waits_for_cancel"), begin("waits_for_cancel")};
  std::thread first(next_task());
  std::thread second(next_task());
  EXPECT_TRUE(test::eventually([&] { return !waiting[0]->heard().empty() && !waiting[1]->heard().empty(); }));
  plugin_->cancel_all(CancelReason::reload);
  executor_.run_all();
  first.join();
  second.join();
  for (const auto& each : waiting)
    EXPECT_THAT(each->ends(), ElementsAre(result(R"({"heard":4,"asked":4})")));
}

TEST_F(InProcessPluginTest, AnswersInThePluginsSteadWhenItsCallsAreFailed) {
  const test::StandardErrorCapture log;
  load();
  const auto begun = begin("waits_for_cancel");
  std::thread serving(next_task());
  EXPECT_TRUE(test::eventually([&] { return !begun->heard().empty(); }));
  const auto waiting = begin("echo");
  begun->cancel(CancelReason::shutdown);  // of which the plugin has not heard yet
  EXPECT_EQ(plugin_->fail_all("enough"), 2U);
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
  executor_.run_all();
  serving.join();
  for (const auto& each : {begun, waiting})
    EXPECT_THAT(each->ends(), ElementsAre(R"(error {"code":-32603,"message":"plugin actor: enough"})"));
  EXPECT_THAT(log.text(), Not(HasSubstr("plugin misbehaved"))) << "that it answers too late is not its fault";
}

constexpr auto cancelled_before =
    R"(error {"code":-32603,"message":"plugin actor: the call was cancelled before it began, by the client"})";

TEST_F(InProcessPluginTest, DoesNotBeginACallThatIsCancelled) {
  load();
  const auto cancelled = begin("echo");
  cancelled->cancel(CancelReason::client);
  executor_.run_all();
  EXPECT_THAT(cancelled->ends(), ElementsAre(cancelled_before));
}

TEST_F(InProcessPluginTest, EndsACallThatIsCancelledWhileItWaitsAtOnce) {
  setup_.limits.concurrent_calls = 1;
  load();
  const auto first = begin("echo");
  const auto waiting = begin("echo");
  const auto last = begin("echo");
  waiting->cancel(CancelReason::client);
  EXPECT_THAT(waiting->ends(), ElementsAre(cancelled_before));
  EXPECT_EQ(plugin_->calls_in_flight(), 2U);
  executor_.run_all();
  EXPECT_TRUE(first->ended && last->ended);
  EXPECT_EQ(waiting->ends().size(), 1U);
}

TEST_F(InProcessPluginTest, SaysWhyACallWasCancelledBeforeItBegan) {
  setup_.limits.call_time = 1500ms;
  load();
  const auto why = [this](CancelReason reason) {
    const auto cancelled = begin("echo");
    cancelled->cancel(reason);
    return cancelled->ends().front();
  };
  const auto words = [](const std::string& reason) {
    return R"(error {"code":-32603,"message":"plugin actor: the call was cancelled before it began, )" + reason + "\"}";
  };
  EXPECT_EQ(why(CancelReason::deadline), words("because it had waited for the 1.5 s that limits.callTimeMs allows"));
  EXPECT_EQ(why(CancelReason::shutdown), words("because this server is stopping"));
  EXPECT_EQ(why(CancelReason::reload), words("because the plugin was replaced or removed"));
  executor_.run_all();
}

TEST_F(InProcessPluginTest, NeverTellsThePluginOfACallThatIsCancelledBeforeItComes) {
  load();
  const auto cancelled = std::make_shared<RecordingCall>("echo");
  cancelled->cancel(CancelReason::client);
  plugin_->invoke(cancelled);
  EXPECT_THAT(cancelled->ends(), ElementsAre(cancelled_before));
  EXPECT_TRUE(executor_.tasks.empty());
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
  EXPECT_THAT(call("counts_cancellations")->ends(), ElementsAre(result(R"({"cancelled":0})")));
}

TEST_F(InProcessPluginTest, NeverTellsThePluginOfACallThatIsCancelledOnItsWay) {
  load();
  const auto cancelled = begin("echo");
  cancelled->cancel(CancelReason::client);
  EXPECT_THAT(cancelled->ends(), ElementsAre(cancelled_before));
  EXPECT_THAT(call("counts_cancellations")->ends(), ElementsAre(result(R"({"cancelled":0})")));
  EXPECT_EQ(cancelled->ends().size(), 1U);
}

TEST_F(InProcessPluginTest, EndsEveryCallOnceHoweverItIsCancelled) {
  setup_.limits.concurrent_calls = 2;
  load();
  for (int round = 0; round < 200; ++round) {
    std::vector<std::shared_ptr<RecordingCall>> calls;
    for (int i = 0; i < 8; ++i)
      calls.push_back(begin("echo"));
    std::thread first(next_task());
    std::thread second(next_task());
    for (const auto& each : calls)
      each->cancel(CancelReason::client);
    first.join();
    second.join();
    executor_.run_all();
    for (const auto& each : calls)
      ASSERT_EQ(each->ends().size(), 1U);
    ASSERT_EQ(plugin_->calls_in_flight(), 0U);
  }
}

TEST_F(InProcessPluginTest, PassesOnProgressAndWhatIsLogged) {
  load();
  EXPECT_THAT(call("reports")->heard(), ElementsAre("1.000000/4.000000 a quarter", "log 3 written by the plugin"));
}

TEST_F(InProcessPluginTest, WritesWhatThePluginLogsToTheLog) {
  const test::StandardErrorCapture log;
  load();
  call("reports");
  EXPECT_THAT(log.text(), HasSubstr("warning plugin says plugin=actor text=\"written by the plugin\""));
}

TEST_F(InProcessPluginTest, WritesSoManyLinesOfThePluginASecondAndCountsTheOthers) {
  constexpr int lines = 1500;
  const test::StandardErrorCapture log;
  Timers timers;
  timers_ = &timers;
  load();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < lines; ++i)
    call("reports");
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  plugin_.reset();
  int written = 0;
  int left_out = 0;
  std::istringstream text(log.text());
  for (std::string line; std::getline(text, line);) {
    if (line.find("plugin says plugin=actor") != std::string::npos) ++written;
    constexpr std::string_view count = "plugin says too much plugin=actor lines_left_out=";
    if (const auto found = line.find(count); found != std::string::npos)
      left_out += std::stoi(line.substr(found + count.size()));
  }
  EXPECT_EQ(written + left_out, lines);
  EXPECT_LE(written, 500 * (time.count() + 1));
}

TEST_F(InProcessPluginTest, PassesOnThatAResourceWasUpdated) {
  std::vector<std::string> updated;
  setup_.events.resource_updated = [&](const std::string& uri) { updated.push_back(uri); };
  load();
  call("reports");
  EXPECT_THAT(updated, ElementsAre("actor://state"));
}

TEST_F(InProcessPluginTest, CutsOffALongMessageAtTheEndOfACharacter) {
  load();
  std::string message = "x";
  while (message.size() < 32'767)
    message += "\xC3\xA4";
  EXPECT_THAT(call("reports_at_length")->heard(), ElementsAre("1.000000/4.000000 " + message, "log 1 " + message));
}

TEST_F(InProcessPluginTest, HasACallInFlightWhoseAnswerWaitsForWhatItHasChanged) {
  Timers timers;
  timers_ = &timers;
  setup_.events.components_changed = [](const auto&) {};
  load();
  const auto waiting = call("changes_its_components");
  EXPECT_THAT(waiting->ends(), IsEmpty());
  EXPECT_EQ(plugin_->calls_in_flight(), 1U);
  EXPECT_EQ(plugin_->fail_all("the server is stopping"), 1U);
  EXPECT_THAT(waiting->ends(),
              ElementsAre(R"(error {"code":-32603,"message":"plugin actor: the server is stopping"})"));
  plugin_.reset();
}

TEST_F(InProcessPluginTest, PassesOnThatComponentsChanged) {
  int changes = 0;
  setup_.events.components_changed = [&](const auto&) { ++changes; };
  load();
  call("changes_its_components");
  EXPECT_EQ(changes, 1);
  EXPECT_THAT(*plugin_->describe(), HasSubstr("\"changed\""));
}

TEST_F(InProcessPluginTest, GivesThePluginItsConfigurationItsCallerAndADirectoryOfItsOwn) {
  load("unit_actor", R"({"root":"/srv"})");
  const auto directory = temporary_.path() / "data" / "actor";
  EXPECT_FALSE(std::filesystem::exists(directory));
  EXPECT_THAT(call("tells_what_it_got")->ends(),
              ElementsAre(result(R"({"configuration":{"root":"/srv"},"context":{"protocolVersion":"2026-07-28"},)"
                                 R"("dataDirectory":")" +
                                 directory.string() + "\"}")));
  EXPECT_TRUE(std::filesystem::is_directory(directory));
}

TEST_F(InProcessPluginTest, TellsThePluginWhoCallsAndNothingOfACallThatIsNone) {
  load();
  EXPECT_THAT(call("asks_who_calls")->ends(),
              ElementsAre(result(R"({"own":{"principal":{"id":"ada"}},"stranger":""})")));
}

TEST_F(InProcessPluginTest, TellsACallItsDeadlineBeforeThePluginIsGivenIt) {
  Timers timers;
  timers_ = &timers;
  setup_.limits.call_time = 1h;
  load();
  EXPECT_TRUE(begin("echo")->deadline());
  executor_.run_all();
  plugin_.reset();
}

using InProcessPluginDeathTest = InProcessPluginTest;

TEST_F(InProcessPluginDeathTest, IsNamedWhereItsDestructorsEndTheHost) {
  const auto unload = [this] {
    report_crashes_to_log(StderrLog::Format::text);
    load("unit_fatal_destructor");
    plugin_.reset();
  };
  EXPECT_DEATH(unload(), "plugin crashed file=/components/tools/actor.so plugin=actor .*running=unload ");
}

class CrashingCall final : public Call {
 public:
  CrashingCall() : Call(PluginMethod::tools_call, R"({"arguments":{},"name":"echo"})") {}
  void progress(double, double, std::string_view) override {}
  void log(std::int32_t, std::string_view) override {}
  void complete(Outcome, std::string_view) override { std::abort(); }
  std::string context() const override { return "{}"; }
};

// The plugin has called it, so that its code lies below it on the stack.
TEST_F(InProcessPluginDeathTest, IsNotBlamedForACrashOfTheHostsOwnCode) {
  const auto complete = [this] {
    report_crashes_to_log(StderrLog::Format::text);
    load();
    plugin_->invoke(std::make_shared<CrashingCall>());
    executor_.run_all();
  };
  EXPECT_DEATH(complete(), "host crashed what=");
}

TEST_F(InProcessPluginTest, GivesThePluginNoDirectoryWhereNoneCanBeMade) {
  const test::StandardErrorCapture log;
  temporary_.write("data", "a file in the way");
  load();
  EXPECT_THAT(call("tells_what_it_got")->ends(), ElementsAre(HasSubstr(R"("dataDirectory":"")")));
  EXPECT_THAT(log.text(), HasSubstr("data directory cannot be made plugin=actor"));
}

TEST_F(InProcessPluginTest, TellsAPluginThatAsksWhatTheHostIs) {
  setup_.server_info = [] { return std::string(R"({"name":"host"})"); };
  load();
  EXPECT_THAT(call("asks_what_the_host_is")->ends(), ElementsAre(result(R"({"name":"host"})")));
}

TEST_F(InProcessPluginTest, HasNoInterfaceThatItDoesNotOffer) {
  load();
  EXPECT_THAT(call("asks_what_the_host_is")->ends(), ElementsAre(result("null")));
  setup_.server_info = [] { return std::string("{}"); };
  load();
  EXPECT_THAT(call("asks_for_a_strange_interface")->ends(), ElementsAre(result("null")));
}

TEST_F(InProcessPluginTest, IsStoppedWhenItIsDestroyedWithoutAStop) {
  load("unit_actor", R"({"trace":"yes"})");
  plugin_.reset();
  EXPECT_TRUE(std::filesystem::exists(temporary_.path() / "data" / "actor" / "1.0.0.stopped"));
}

TEST_F(InProcessPluginTest, IsGivenUpWhenItsStopDoesNotReturn) {
  load("unit_actor", R"({"hangs":"stop"})");
  EXPECT_FALSE(plugin_->stop(10ms));
  // Its code runs until the process ends, so the object may not go.
  [[maybe_unused]] const auto* left = plugin_.release();
}

TEST_F(InProcessPluginTest, IsNotStoppedWhereNoThreadIsLeft) {
  load("unit_actor");
  const test::StandardErrorCapture captured;
  {
    const test::NoThreads none;
    EXPECT_FALSE(plugin_->stop(1min));
  }
  EXPECT_THAT(captured.text(), HasSubstr("it cannot be stopped, because no thread is left"));
  EXPECT_TRUE(plugin_->stop(1min));
}

TEST_F(InProcessPluginTest, StaysMappedWhereThePluginAsksForIt) {
  const test::KeptMemory kept;
  for (const bool resident : {false, true}) {
    load(resident ? "unit_actor_resident" : "unit_actor");
    plugin_->stop(1min);
    plugin_.reset();
    EXPECT_EQ(is_mapped(copies_.path()), resident);
  }
}

TEST_F(InProcessPluginTest, DeletesItsCopyWhenItIsUnloaded) {
  load();
  const auto copies = [this] {
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator(copies_.path()))
      count += file.path().string().find("actor") != std::string::npos ? 1 : 0;
    return count;
  };
  EXPECT_EQ(copies(), 1);
  plugin_->stop(1min);
  plugin_.reset();
  EXPECT_EQ(copies(), 0);
}

}  // namespace
}  // namespace mcph
