// What is promised of every plugin, however it runs (plugin/plugin.hpp): one suite for those in this process, for those
// in a worker, with and without memory that it shares with its host, for servers elsewhere, and for the fake that other
// tests use instead.
#include <map>
#include <memory>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "plugin/in_process/in_process_plugin.hpp"
#include "plugin/isolated/worker_plugin.hpp"
#include "plugin/library/private_folder.hpp"
#include "plugin/plugin.hpp"
#include "plugin/plugin_metrics.hpp"
#include "runtime/event_loops.hpp"
#include "runtime/timers.hpp"
#include "sources/upstream/upstream_plugin.hpp"
#include "stores/file_stores.hpp"
#include "support/acting_server.hpp"
#include "support/eventually.hpp"
#include "support/fake_plugin.hpp"
#include "support/recording_call.hpp"
#include "support/recording_log.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::RecordingCall;
using test::result;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Kind { in_process, worker, worker_without_shared_memory, upstream, fake };

// Does what tests/unit/fixtures/actor.cpp does, as far as the suite uses it.
std::unique_ptr<Plugin> make_fake(const PluginSetup& setup, Log& log) {
  auto fake = std::make_unique<test::FakePlugin>(setup.file, setup.limits, setup.events, &log);
  fake->on_invoke = [plugin = fake.get(), kept = std::vector<std::size_t>()](Call& call) mutable {
    const auto index = plugin->calls.size() - 1;
    const auto answer = [plugin](std::size_t which, const std::string& structured, std::int32_t outcome = 0) {
      plugin->answer(which, outcome, R"({"content":[],"structuredContent":)" + structured + "}");
    };
    const auto& tool = call.component();
    if (tool == "keeps_the_call") {
      kept.push_back(index);
      return call.progress(1, 0, "kept");
    }
    if (tool == "completes_kept_calls") {
      for (const auto each : std::exchange(kept, {}))
        answer(each, R"({"kept":true})");
      return answer(index, "{}");
    }
    if (tool == "completes_twice") {
      answer(index, R"({"completion":1})");
      return answer(index, R"({"completion":2})");
    }
    if (tool == "listens_to_subscriptions") return answer(index, "{}");
    if (tool == "tells_subscriptions") {
      std::set<std::string> all;
      std::string heard;
      for (const auto& each : plugin->subscriptions) {
        each.front() == '+' ? static_cast<void>(all.insert(each.substr(1)))
                            : static_cast<void>(all.erase(each.substr(1)));
        heard += each + " ";
      }
      return answer(index, R"({"all":)" + dump(Json(all)) + R"(,"heard":")" + heard + "\"}");
    }
    answer(index, call.params(), tool == "unknown_outcome" ? 99 : 0);
  };
  return fake;
}

class PluginContractTest : public ::testing::TestWithParam<Kind> {
 protected:
  ~PluginContractTest() override { end(); }

  // What the plugin's code was doing is over then.
  void end() {
    if (plugin_ == nullptr) return;
    plugin_->fail_all("the test is over");
    // A cancellation may still be on its way to the plugin's code, and these calls hold no lease.
    if (GetParam() == Kind::in_process) {
      threads_.stop();
      EXPECT_TRUE(threads_.join(test::patience));
    }
    plugin_->stop(test::patience);
    plugin_.reset();
  }

  Result<std::unique_ptr<Plugin>> make() {
    if (GetParam() == Kind::fake) return make_fake(setup_, log_);
    if (GetParam() == Kind::upstream) return make_upstream();
    auto copy = copies_.copy(MCP_TEST_FIXTURES "/unit_actor.so");
    if (copy.has_error()) return copy.error();
    auto library = std::make_shared<const PrivateCopy>(*std::move(copy));
    if (GetParam() == Kind::worker || GetParam() == Kind::worker_without_shared_memory) {
      auto worker = WorkerPlugin::create(std::move(library), setup_, workers_, log_);
      if (worker.has_error()) return worker.error();
      return std::unique_ptr<Plugin>(*std::move(worker));
    }
    auto loaded = PluginLibrary::load(std::move(library));
    if (loaded.has_error()) return loaded.error();
    auto plugin = InProcessPlugin::create(*std::move(loaded), setup_, threads_, log_, &workers_.timers());
    if (plugin.has_error()) return plugin.error();
    return std::unique_ptr<Plugin>(*std::move(plugin));
  }
  std::unique_ptr<Plugin> make_upstream() {
    const auto server = std::make_shared<test::ActingServer>(threads_);
    return std::make_unique<UpstreamPlugin>(
        UpstreamPlugin::Setup{
            .identity = {.file = setup_.file, .name = "actor", .version = {}, .digest = {}},
            .settings = {.way = UpstreamUrl{}, .limits = setup_.limits, .is_legacy = true},
            .events = setup_.events,
            .connect = [server](auto) -> Result<std::shared_ptr<UpstreamTransport>> { return {server}; }},
        threads_, workers_.timers(), log_);
  }
  // Described and started.
  Plugin& load() {
    plugin_ = *make();
    EXPECT_TRUE(plugin_->describe());
    EXPECT_TRUE(plugin_->start());
    return *plugin_;
  }
  std::shared_ptr<RecordingCall> begin(const std::string& tool, const std::string& arguments = "{}") const {
    auto call = std::make_shared<RecordingCall>(tool, arguments);
    plugin_->invoke(call);
    return call;
  }
  std::shared_ptr<RecordingCall> begin_kept() const {
    auto call = begin("keeps_the_call");
    EXPECT_TRUE(call->begun());
    return call;
  }
  std::string call(const std::string& tool, const std::string& arguments = "{}") const {
    return begin(tool, arguments)->end();
  }
  std::string load_and_call(const std::string& tool) {
    if (plugin_ != nullptr) plugin_->stop(10s);
    load();
    return call(tool);
  }
  // As all errors that the host gives in the plugin's stead.
  std::string error(const std::string& words) const {
    return R"(error {"code":-32603,"message":"plugin )" + plugin_->identity().name + words + "\"}";
  }

  const test::TemporaryFolder temporary_;
  test::RecordingLog log_;
  PrivateFolder copies_ = *PrivateFolder::create({temporary_.path()});
  EventLoops threads_{2, 4};
  Workers workers_{{.program = MCP_TEST_WORKER,
                    .answer_time = 60s,
                    .shared_memory = GetParam() != Kind::worker_without_shared_memory,
                    .fork_server = GetParam() == Kind::worker},
                   [this]() -> boost::asio::io_context& { return threads_.next_context(); },
                   threads_};
  std::atomic<int> quiet_{0};
  PluginSetup setup_{.file = "/components/tools/actor.so",
                     .digest = "0123456789abcdef",
                     .data_directory = {.root = temporary_.path(), .place = "data"},
                     .events = {.calls_ended = [this] { ++quiet_; }}};
  std::unique_ptr<Plugin> plugin_;
};

TEST_P(PluginContractTest, KnowsWhoItIs) {
  const auto& identity = load().identity();
  EXPECT_EQ(identity.file, "/components/tools/actor.so");
  EXPECT_EQ(identity.name, "actor");
  EXPECT_EQ(identity.version, "1.0.0");
}

TEST_P(PluginContractTest, DescribesItselfAsOftenAsItIsAsked) {
  load();
  EXPECT_EQ(*plugin_->describe(), "{}");
  EXPECT_EQ(*plugin_->describe(), "{}");
}

TEST_P(PluginContractTest, AnswersACallAndHasNoneInFlight) {
  load();
  EXPECT_EQ(call("echo", R"({"a":1})"), result(R"({"arguments":{"a":1},"name":"echo"})"));
  EXPECT_TRUE(eventually([&] { return quiet_ == 1; }));
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
  EXPECT_EQ(plugin_->status().calls.calls, 1U);
  EXPECT_EQ(plugin_->status().calls.errors, 0U);
}

TEST_P(PluginContractTest, EndsACallOnce) {
  load();
  const auto answered = begin("completes_twice");
  EXPECT_EQ(answered->end(), result(R"({"completion":1})"));
  call("echo");
  end();
  EXPECT_EQ(answered->ends().size(), 1U);
}

TEST_P(PluginContractTest, RefusesCallsBeyondItsLimit) {
  setup_.limits.calls_in_flight = 2;
  load();
  begin_kept();
  begin_kept();
  EXPECT_EQ(call("echo"),
            error(" is busy: 2 calls are in flight, as many as limits.callsInFlight allows; try again later"));
  EXPECT_EQ(plugin_->calls_in_flight(), 2U);
}

TEST_P(PluginContractTest, RefusesACallThatIsCancelledBeforeItComes) {
  load();
  const auto cancelled = std::make_shared<RecordingCall>("echo");
  cancelled->cancel(CancelReason::client);
  plugin_->invoke(cancelled);
  EXPECT_THAT(cancelled->ends(), ElementsAre(error(": the call was cancelled before it began, by the client")));
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
}

TEST_P(PluginContractTest, CancelsEveryCallInFlight) {
  load();
  const auto first = begin_kept();
  const auto second = begin_kept();
  plugin_->cancel_all(CancelReason::reload);
  EXPECT_EQ(first->cancelled(), CancelReason::reload);
  EXPECT_EQ(second->cancelled(), CancelReason::reload);
  if (GetParam() == Kind::upstream) {
    EXPECT_EQ(first->end(), error(": the call was cancelled, because the plugin was replaced or removed"))
        << "nobody waits for what a server answers then";
    return;
  }
  EXPECT_FALSE(first->ended || second->ended) << "which its plugin does";
  call("completes_kept_calls");
  EXPECT_EQ(first->end(), result(R"({"kept":true})"));
}

// In the host's process as many block as may.
TEST_P(PluginContractTest, HearsOfCancellationsHoweverManyCallsWaitForThem) {
  if (GetParam() == Kind::upstream) GTEST_SKIP() << "what a server does then is its own business";
  if (GetParam() == Kind::fake) GTEST_SKIP() << "it waits for nothing";
  load();
  std::vector<std::shared_ptr<RecordingCall>> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(begin("waits_for_cancel"));
    ASSERT_TRUE(waiting.back()->begun());
  }
  for (const auto& each : waiting)
    each->cancel(CancelReason::client);
  for (const auto& each : waiting)
    EXPECT_THAT(each->end(), HasSubstr("result"));
}

TEST_P(PluginContractTest, FailsEveryCallInFlightAndHearsNothingOfThemLater) {
  load();
  const auto kept = begin_kept();
  EXPECT_EQ(plugin_->fail_all("enough"), 1U);
  EXPECT_THAT(kept->ends(), ElementsAre(error(": enough")));
  EXPECT_EQ(plugin_->calls_in_flight(), 0U);
  EXPECT_EQ(call("completes_kept_calls"), result("{}"));
  EXPECT_EQ(kept->ends().size(), 1U);
  EXPECT_EQ(plugin_->fail_all("enough"), 0U);
}

TEST_P(PluginContractTest, RefusesAnOutcomeThatThereIsNot) {
  if (GetParam() == Kind::upstream) GTEST_SKIP() << "a server has none";
  load();
  EXPECT_EQ(call("unknown_outcome"), error(" completed the call with the unknown outcome 99"));
}

TEST_P(PluginContractTest, RefusesAnAnswerThatIsLargerThanItMayBe) {
  if (GetParam() == Kind::upstream) GTEST_SKIP() << "its transport does";
  setup_.limits.result_bytes = 1000;
  load();
  const std::string arguments = R"({"text":")" + std::string(2000, 'x') + "\"}";
  EXPECT_THAT(call("echo", arguments), HasSubstr("more than the 1000 that limits.resultBytes allows"));
  EXPECT_THAT(call("echo", arguments), HasSubstr("more than the 1000 that limits.resultBytes allows"));
  EXPECT_TRUE(eventually([&] { return log_.count("plugin is at a limit") == 1; })) << "and says so once";
  EXPECT_EQ(call("echo"), result(R"({"arguments":{},"name":"echo"})"));
}

TEST_P(PluginContractTest, SaysSoWhenTheHostCannotHandleAnAnswer) {
  load();
  const auto kept = begin_kept();
  kept->refuses_next_end = true;
  call("completes_kept_calls");
  EXPECT_THAT(kept->end(), HasSubstr("the host could not handle what the plugin answered: no room for it"));
}

TEST_P(PluginContractTest, CountsItsCallsAndErrors) {
  load();
  call("echo");
  plugin_->call_failed("no such file");
  plugin_->answered_wrongly("no content");
  const auto calls = plugin_->status().calls;
  EXPECT_EQ(plugin_->status().state, PluginState::serving);
  EXPECT_EQ(calls.calls, 1U);
  EXPECT_EQ(calls.errors, 2U);
  EXPECT_EQ(calls.last_error->what, "no content");
}

TEST_P(PluginContractTest, IsToldWhichOfItsResourcesClientsAreSubscribedTo) {
  load();
  call("listens_to_subscriptions");
  plugin_->subscriptions_changed({.added = {"a://x", "a://y"}});
  plugin_->subscriptions_changed({.removed = {"a://x"}});
  const auto told = [this] { return call("tells_subscriptions"); };
  EXPECT_TRUE(eventually([&] {
    const auto now = told();
    // What is undone before it is told is not told.
    return now == result(R"({"all":["a://y"],"heard":"+a://x +a://y -a://x "})") ||
           now == result(R"({"all":["a://y"],"heard":"+a://y "})");
  })) << told();
}

TEST_P(PluginContractTest, IsToldWhichResourcesClientsWereSubscribedToBefore) {
  if (GetParam() == Kind::upstream) GTEST_SKIP() << "it is told as soon as it can be";
  load();
  plugin_->subscriptions_changed({.added = {"a://x"}});
  EXPECT_THAT(call("tells_subscriptions"), HasSubstr(R"({"all":["a://x"])"));
  call("listens_to_subscriptions");
  EXPECT_TRUE(
      eventually([this] { return call("tells_subscriptions") == result(R"({"all":["a://x"],"heard":"+a://x "})"); }));
}

TEST_P(PluginContractTest, KeepsSmallValues) {
  if (GetParam() == Kind::upstream) GTEST_SKIP() << "a server keeps its own";
  if (GetParam() == Kind::fake) GTEST_SKIP() << "it keeps nothing";
  EXPECT_EQ(load_and_call("uses_its_store"), result("null")) << "of a host that offers none";
  setup_.store = FileStores(temporary_.path(), log_).open("store", {});
  const auto did = R"({"did":"0 2 0 3 0 0 0 1 ","same":true,"keys":["key"],"error":)"
                   R"("a value has at most 32768 bytes, not 32769; keep larger ones in files of the plugin's data )"
                   R"(directory","revision":0})";
  EXPECT_EQ(load_and_call("uses_its_store"), result(did));
}

TEST_P(PluginContractTest, CountsAndMeasures) {
  if (GetParam() == Kind::upstream) GTEST_SKIP() << "a server has its own figures";
  if (GetParam() == Kind::fake) GTEST_SKIP() << "it records nothing";
  load();
  EXPECT_EQ(call("records_metrics"), result(R"({"refused":true})"));
  EXPECT_EQ(call("records_metrics"), result(R"({"refused":true})"));
  const auto value = [this](std::size_t metric, const PluginMetrics::Labels& labels) {
    const auto all = plugin_->metrics()->all();
    if (metric >= all.size() || !all[metric].series.contains(labels)) return -1.0;
    return all[metric].series.at(labels).value;
  };
  EXPECT_TRUE(eventually([&] { return value(2, {}) == 0.6; }));
  EXPECT_EQ(value(0, {{"kind", "a"}}), 4);
  EXPECT_EQ(value(1, {}), 0.5);
  EXPECT_EQ(plugin_->metrics()->all().at(0).definition.name, "acts_total");
  EXPECT_TRUE(eventually([this] { return log_.count("plugin misbehaved") == 1; })) << "of what is left out";
}

TEST_P(PluginContractTest, IsToldWhichCapabilitiesItCanAdd) {
  if (GetParam() == Kind::upstream) GTEST_SKIP() << "a server has its own";
  if (GetParam() == Kind::fake) GTEST_SKIP() << "it adds none";
  load();
  EXPECT_EQ(call("checks_capabilities"), result(R"({"good":0,"bad":1,"why":"capabilities is not an object"})"));
}

TEST_P(PluginContractTest, ComesToRest) {
  load();
  call("echo");
  EXPECT_TRUE(plugin_->stop(test::patience));
}

INSTANTIATE_TEST_SUITE_P(, PluginContractTest,
                         ::testing::Values(Kind::in_process, Kind::worker, Kind::worker_without_shared_memory,
                                           Kind::upstream, Kind::fake),
                         [](const auto& each) {
                           return each.param == Kind::in_process ? "InProcess"
                                  : each.param == Kind::worker   ? "Worker"
                                  : each.param == Kind::upstream ? "Upstream"
                                  : each.param == Kind::fake     ? "Fake"
                                                                 : "WorkerWithoutSharedMemory";
                         });

}  // namespace
}  // namespace mcph
