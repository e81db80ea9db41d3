// A folder's source without a disk, without threads and without waiting: the test is the folder, the clock, and who
// loads.
#include "sources/folder/folder_source.hpp"

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/timers.hpp"
#include "support/manual_executor.hpp"
#include "support/recording_log.hpp"
#include "support/served_plugin.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string path_of(const std::string& name) {
  return "/components/tools/" + name + ".so";
}

class FolderInMemory final : public ComponentsFolder {
 public:
  ScanResult scan() override {
    if (scanned) scanned();
    ScanResult result;
    for (const auto& [name, file] : files)
      result.plugins.push_back(file);
    return result;
  }
  PluginFile look_at(const std::filesystem::path& file) override {
    const auto found = files.find(file.stem().string());
    return found == files.end() ? PluginFile{.file = file} : found->second;
  }
  // In another state than before.
  void write(const std::string& name) {
    auto& file = files[name];
    file.file = path_of(name);
    file.identity.size = ++writes_;
    file.configuration.identity.emplace();
  }

  std::map<std::string, PluginFile> files;
  std::function<void()> scanned;

 private:
  std::uint64_t writes_ = 0;
};

class NoWatch final : public FolderWatch {
 public:
  void watch(const std::vector<std::filesystem::path>&) override {}
  bool wait(std::chrono::milliseconds) override { return false; }
  void pause(std::chrono::milliseconds) override {}
  void wake() override {}
  std::string degraded_reason() const override { return {}; }
};

// Each file exports a tool of its name, unless the test refuses it.
class ScriptedLoader final : public VersionLoader {
 public:
  Result<LoadedPlugin> load_version(const PluginFile& file, PluginEvents events) override {
    const auto name = file.file.stem().string();
    loads.push_back(name);
    if (const auto refused = refusals.find(name); refused != refusals.end()) return refused->second;
    auto served = test::served_plugin(name + ".so", test::tools(test::tool(name)));
    plugins[name] = std::static_pointer_cast<test::FakePlugin>(served.plugin);
    events_of[name] = std::move(events);
    if (at_end) at_end(name);
    return LoadedPlugin{.served = std::move(served)};
  }

  void stop() override { is_stopped = true; }

  bool is_stopped = false;
  std::function<void(const std::string& name)> at_end;  // of each load
  std::vector<std::string> loads;
  std::map<std::string, Error> refusals;
  std::map<std::string, std::weak_ptr<test::FakePlugin>> plugins;
  std::map<std::string, PluginEvents> events_of;
};

class FolderSourceTest : public ::testing::Test {
 protected:
  ~FolderSourceTest() override {
    loads_.run_all();
    source_.stop(0ms);
    source_.release_plugins();
    catalog_.clear();
  }

  // Lets time pass, and has everything that it begins end.
  void pass(std::chrono::milliseconds time) {
    now_ += time;
    source_.look();
    loads_.run_all();
    source_.look();
  }
  std::vector<std::string> served() const {
    std::vector<std::string> tools;
    for (const auto& each : catalog_.current()->plugins())
      tools.push_back(each.plugin->identity().name);
    return tools;
  }
  std::uint64_t generation() const { return catalog_.current()->generation(); }
  static FolderSource::Options options() {
    return {.root = "/components",
            .patience = {.settle = 30ms, .removal = 100ms, .first_retry = 1s, .last_retry = 30s},
            .burst_patience = 1s,
            .task_patience = 0ms,
            .rescan_interval = 1s,
            .describe_interval = 50ms};
  }
  // What the operator is told, and when: after the look that makes it so.
  OperatorService::Answer ask(OperatorRequest::Kind kind, const std::string& plugin,
                              const std::function<void()>& meanwhile = {}) {
    auto answer = std::async(std::launch::async, [&] { return source_.operator_service().ask({kind, plugin}); });
    while (answer.wait_for(0ms) != std::future_status::ready) {
      source_.look();
      if (meanwhile) meanwhile();
      loads_.run_all();
    }
    return answer.get();
  }
  std::string answer_to(OperatorRequest::Kind kind, const std::string& plugin) {
    const auto answer = ask(kind, plugin);
    if (answer.has_error()) return "error: " + answer.error().message;
    return answer->front().text;
  }

  test::RecordingLog log_{Log::Level::info};
  PublishedCatalog catalog_;
  Publisher publisher_{catalog_, {}, log_};
  Drainer drainer_{{.drain_time = 10s}, log_};
  FolderInMemory folder_;
  NoWatch watch_;
  ScriptedLoader loader_;
  test::ManualExecutor loads_;
  Timers timers_;
  FolderSource::Time now_{1000h};
  std::chrono::milliseconds clock_step_{0};  // by which it is later each time that somebody looks
  FolderSource source_{options(),
                       {.folder = folder_,
                        .watch = watch_,
                        .loader = loader_,
                        .plugin_executor = loads_,
                        .now = [this] { return now_ += clock_step_; },
                        .resource_updated = [](const std::string&) {},
                        .publisher = publisher_,
                        .drainer = drainer_,
                        .log = log_}};
};

TEST_F(FolderSourceTest, PublishesAnEmptyCatalogFirst) {
  source_.look();
  EXPECT_EQ(generation(), 1U);
  pass(1h);
  EXPECT_EQ(generation(), 1U) << "nothing has changed";
}

TEST_F(FolderSourceTest, ServesWhatHasBeenStill) {
  source_.look();
  folder_.write("a");
  EXPECT_EQ(source_.look(), now_ + 30ms);
  EXPECT_THAT(loader_.loads, IsEmpty());
  pass(30ms);
  EXPECT_THAT(served(), ElementsAre("a"));
  EXPECT_EQ(log_.count("plugin loaded file=/components/tools/a.so"), 1U);
}

TEST_F(FolderSourceTest, ServesABurstAsOneCatalog) {
  source_.look();
  for (int i = 0; i < 10; ++i) {
    folder_.write("t" + std::to_string(i));
    pass(20ms);
  }
  EXPECT_THAT(served(), IsEmpty()) << "others follow";
  pass(30ms);
  EXPECT_EQ(served().size(), 10U);
  EXPECT_EQ(generation(), 2U);
}

TEST_F(FolderSourceTest, WithdrawsABurstInOneCatalog) {
  for (int i = 0; i < 10; ++i)
    folder_.write("t" + std::to_string(i));
  source_.look();
  pass(30ms);
  ASSERT_EQ(served().size(), 10U);
  const auto before = generation();
  while (!folder_.files.empty()) {
    folder_.files.erase(folder_.files.begin());
    pass(50ms);
  }
  EXPECT_EQ(served().size(), 10U);
  pass(100ms);
  EXPECT_THAT(served(), IsEmpty());
  EXPECT_EQ(generation(), before + 1);
  EXPECT_EQ(log_.count("plugin withdrawn"), 10U);
}

TEST_F(FolderSourceTest, WaitsNoLongerThanABurstMayLastForAFileThatKeepsChanging) {
  source_.look();
  folder_.write("a");
  for (int i = 0; i < 60; ++i) {
    folder_.write("busy");
    pass(20ms);
  }
  EXPECT_THAT(served(), ElementsAre("a"));
}

// The catalog of the others is published although this one's load has not come to its end.
TEST_F(FolderSourceTest, WaitsForNoLoadThatHangs) {
  folder_.write("a");
  folder_.write("hangs");
  source_.look();
  now_ += 30ms;
  source_.look();
  ASSERT_EQ(loads_.tasks.size(), 2U);
  const auto hanging = std::move(loads_.tasks.back());
  loads_.tasks.pop_back();
  loads_.run_all();
  source_.look();
  EXPECT_THAT(served(), ElementsAre("a"));
  folder_.write("a");
  folder_.write("b");
  pass(1ms);
  pass(30ms);
  EXPECT_THAT(served(), ElementsAre("a", "b")) << "nor is anybody's reload delayed";
  hanging();
  source_.look();
  EXPECT_THAT(served(), ElementsAre("a", "b", "hangs"));
}

TEST_F(FolderSourceTest, ServesNothingOfALoadWhoseFileHasChangedOrGone) {
  folder_.write("a");
  folder_.write("b");
  source_.look();
  now_ += 30ms;
  source_.look();
  folder_.write("a");
  folder_.files.erase("b");
  source_.look();
  now_ += 100ms;
  source_.look();
  loads_.run_all();
  source_.look();
  EXPECT_THAT(served(), ElementsAre("a"));
  EXPECT_EQ(std::ranges::count(loader_.loads, "a"), 2);
  EXPECT_EQ(log_.count("plugin loaded"), 1U);
}

TEST_F(FolderSourceTest, KeepsTheLastGoodVersionWhenTheNextIsRefused) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  loader_.refusals.emplace("a", fail("no library"));
  folder_.write("a");
  pass(1ms);
  pass(30ms);
  pass(1h);
  EXPECT_THAT(served(), ElementsAre("a"));
  EXPECT_EQ(log_.count("plugin refused"), 1U) << "once, until it changes";
  loader_.refusals.clear();
  folder_.write("a");
  pass(1ms);
  pass(30ms);
  EXPECT_EQ(log_.count("plugin replaced"), 1U);
}

TEST_F(FolderSourceTest, TriesAgainWhatMayPass) {
  loader_.refusals.emplace("a", fail_for_now("the port is taken"));
  folder_.write("a");
  source_.look();
  pass(30ms);
  EXPECT_EQ(loader_.loads.size(), 1U);
  pass(1s);
  EXPECT_EQ(loader_.loads.size(), 2U);
  pass(1s);
  EXPECT_EQ(loader_.loads.size(), 2U) << "the time doubles";
  loader_.refusals.clear();
  pass(1s);
  EXPECT_THAT(served(), ElementsAre("a"));
  EXPECT_EQ(log_.count("plugin refused"), 1U);
}

TEST_F(FolderSourceTest, TakesWhatHasChangedWhileItWasLoadedAtTheNextLook) {
  loader_.refusals.emplace("a", fail_for_now("it has changed since it was looked at"));
  folder_.write("a");
  source_.look();
  now_ += 30ms;
  source_.look();
  folder_.write("a");
  loads_.run_all();
  loader_.refusals.clear();
  source_.look();
  EXPECT_EQ(log_.count("plugin refused"), 0U);
  pass(30ms);
  EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(FolderSourceTest, WithdrawsAVersionThatGivesUpAndDrainsIt) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  const auto lease = loader_.plugins["a"].lock();
  loader_.events_of["a"].gave_up(fail("it crashes"));
  source_.look();
  EXPECT_THAT(served(), IsEmpty());
  EXPECT_EQ(log_.count("plugin quarantined file=/components/tools/a.so reason=it crashes"), 1U);
  EXPECT_EQ(drainer_.draining().size(), 1U);
  folder_.write("a");
  pass(1ms);
  pass(30ms);
  EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(FolderSourceTest, KnowsWhatHasGivenUpAsLongAsThatIsWhyItIsNotServed) {
  const auto give_up = [&] {
    folder_.write("a");
    pass(1ms);
    pass(30ms);
    loader_.events_of["a"].gave_up(fail("it crashes"));
    source_.look();
    return catalog_.current()->is_withdrawn_tool("a");
  };
  const auto is_known = [&] { return catalog_.current()->is_withdrawn_tool("a"); };
  EXPECT_TRUE(give_up());
  folder_.write("a");
  pass(1ms);
  pass(30ms);
  EXPECT_FALSE(is_known()) << "it is served";
  EXPECT_TRUE(give_up());
  loader_.refusals.emplace("a", fail("no library"));
  folder_.write("a");
  pass(1ms);
  pass(30ms);
  EXPECT_FALSE(is_known()) << "it is refused";
  loader_.refusals.clear();
  EXPECT_TRUE(give_up());
  ask(OperatorRequest::Kind::disable, "a");
  EXPECT_FALSE(is_known()) << "it is disabled";
  ask(OperatorRequest::Kind::enable, "a");
  EXPECT_TRUE(give_up());
  folder_.files.clear();
  pass(1ms);
  pass(100ms);
  EXPECT_FALSE(is_known()) << "it is gone";
}

TEST_F(FolderSourceTest, DescribesAPluginThatChangedItsComponentsTwentyTimesASecondAtMost) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  const auto change = [&](const std::string& tool) {
    loader_.plugins["a"].lock()->description = test::tools(test::tool(tool));
    loader_.events_of["a"].components_changed(std::make_shared<ComponentChanges>([](const auto&) {}, loads_, timers_));
  };
  change("b");
  pass(0ms);
  EXPECT_NE(catalog_.current()->find_tool("b"), nullptr);
  change("c");
  now_ += 49ms;
  EXPECT_EQ(source_.look(), now_ + 1ms);
  EXPECT_THAT(loads_.tasks, IsEmpty());
  pass(1ms);
  EXPECT_NE(catalog_.current()->find_tool("c"), nullptr);
}

TEST_F(FolderSourceTest, LeavesAPluginAloneForFourTimesAsLongAsItTookToReadItsDescription) {
  folder_.write("a");
  folder_.write("b");
  source_.look();
  pass(30ms);
  const auto change = [&](const std::string& plugin, const std::string& tool) {
    loader_.plugins[plugin].lock()->description = test::tools(test::tool(tool));
    loader_.events_of[plugin].components_changed(
        std::make_shared<ComponentChanges>([](const auto&) {}, loads_, timers_));
  };
  change("a", "a1");
  source_.look();
  clock_step_ = 100ms;
  loads_.run_all();
  clock_step_ = 0ms;
  source_.look();
  EXPECT_NE(catalog_.current()->find_tool("a1"), nullptr);
  change("a", "a2");
  EXPECT_EQ(source_.look(), now_ + 400ms);
  change("b", "b1");
  pass(399ms);
  EXPECT_NE(catalog_.current()->find_tool("b1"), nullptr) << "no other one waits for that";
  EXPECT_EQ(catalog_.current()->find_tool("a2"), nullptr);
  pass(50ms);
  EXPECT_NE(catalog_.current()->find_tool("a2"), nullptr);
}

// A stream that takes its time to be told.
class SlowStream final : public ListListener {
 public:
  explicit SlowStream(FolderSource::Time& now) : now_(now) {}
  void lists_changed(ListKinds) override { now_ += 100ms; }

 private:
  FolderSource::Time& now_;
};

TEST_F(FolderSourceTest, LeavesAPluginAloneForFourTimesAsLongAsItTookToPublishItsDescription) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  const auto change = [&](const std::string& tool) {
    loader_.plugins["a"].lock()->description = test::tools(test::tool(tool));
    loader_.events_of["a"].components_changed(std::make_shared<ComponentChanges>([](const auto&) {}, loads_, timers_));
  };
  const auto stream = std::make_shared<SlowStream>(now_);
  catalog_.listen(stream);
  change("b");
  pass(0ms);
  EXPECT_NE(catalog_.current()->find_tool("b"), nullptr);
  change("c");
  EXPECT_EQ(source_.look(), now_ + 400ms);
  pass(400ms);
  EXPECT_NE(catalog_.current()->find_tool("c"), nullptr);
}

TEST_F(FolderSourceTest, GoesOnWhileAPluginHangsThatIsDescribedAgain) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  const auto change = [&] {
    loader_.events_of["a"].components_changed(std::make_shared<ComponentChanges>([](const auto&) {}, loads_, timers_));
  };
  change();
  source_.look();
  ASSERT_EQ(loads_.tasks.size(), 1U);
  EXPECT_EQ(log_.count("plugin is slow"), 1U);
  const auto hanging = std::move(loads_.tasks.front());
  loads_.tasks.pop_front();
  folder_.write("b");
  pass(1s);
  pass(30ms);
  EXPECT_THAT(served(), ElementsAre("a", "b"));
  // One description at a time, and none is lost.
  loader_.plugins["a"].lock()->description = test::tools(test::tool("more"));
  change();
  source_.look();
  EXPECT_THAT(loads_.tasks, IsEmpty());
  EXPECT_EQ(log_.count("plugin is slow"), 1U);
  hanging();
  EXPECT_LE(source_.look(), now_) << "the next can be asked for";
  pass(0ms);
  EXPECT_NE(catalog_.current()->find_tool("more"), nullptr);
}

TEST_F(FolderSourceTest, TakesNoDescriptionOfAVersionThatIsServedNoMore) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  loader_.plugins["a"].lock()->description = test::tools(test::tool("old"));
  loader_.events_of["a"].components_changed(std::make_shared<ComponentChanges>([](const auto&) {}, loads_, timers_));
  source_.look();
  ASSERT_EQ(loads_.tasks.size(), 1U);
  const auto late = std::move(loads_.tasks.front());
  loads_.tasks.pop_front();
  folder_.write("a");
  pass(1s);
  pass(30ms);
  EXPECT_EQ(loader_.loads.size(), 2U);
  late();
  source_.look();
  EXPECT_NE(catalog_.current()->find_tool("a"), nullptr);
  EXPECT_EQ(catalog_.current()->find_tool("old"), nullptr);
}

// Between its description and the end of its load the loop looks.
TEST_F(FolderSourceTest, LosesNothingThatAPluginSaysWhileItIsLoaded) {
  folder_.write("a");
  folder_.write("b");
  loader_.at_end = [&](const std::string& name) {
    auto& events = loader_.events_of[name];
    if (name == "a") {
      loader_.plugins["a"].lock()->description = test::tools(test::tool("more"));
      events.components_changed(std::make_shared<ComponentChanges>([](const auto&) {}, loads_, timers_));
    } else {
      events.gave_up(fail("it crashes"));
    }
    source_.look();
  };
  source_.look();
  pass(30ms);
  pass(50ms);
  EXPECT_NE(catalog_.current()->find_tool("more"), nullptr);
  EXPECT_THAT(served(), ElementsAre("a"));
  EXPECT_EQ(log_.count("plugin quarantined"), 1U);
}

TEST_F(FolderSourceTest, KeepsTheComponentsThatItHadWhereTheNewOnesAreInvalid) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  loader_.plugins["a"].lock()->description = "no JSON";
  loader_.events_of["a"].components_changed(std::make_shared<ComponentChanges>([](const auto&) {}, loads_, timers_));
  pass(0ms);
  EXPECT_NE(catalog_.current()->find_tool("a"), nullptr);
  EXPECT_EQ(log_.count("plugin misbehaved"), 1U);
  EXPECT_THAT(loader_.plugins["a"].lock()->status().calls.last_error->what,
              ::testing::StartsWith("its components changed to something invalid: "));
}

TEST_F(FolderSourceTest, DoesWhatTheOperatorAsks) {
  using Kind = OperatorRequest::Kind;
  folder_.write("a");
  source_.look();
  pass(30ms);
  EXPECT_EQ(answer_to(Kind::reload, "b"), "error: no plugin or upstream is called \"b\"; there are a");
  EXPECT_EQ(answer_to(Kind::reload, "a"), "serving a 1.0.0 ()");
  EXPECT_EQ(loader_.loads.size(), 2U);
  EXPECT_EQ(answer_to(Kind::enable, "a"), "it is not disabled");
  EXPECT_EQ(answer_to(Kind::disable, "a"), "disabled");
  EXPECT_THAT(served(), IsEmpty());
  EXPECT_EQ(answer_to(Kind::disable, "a"), "it was disabled before");
  EXPECT_EQ(answer_to(Kind::reload, "a"), "it is disabled; enable it");
  EXPECT_EQ(answer_to(Kind::enable, "a"), "serving a 1.0.0 ()");
  EXPECT_THAT(served(), ElementsAre("a"));
  loader_.refusals.emplace("a", fail("no library"));
  EXPECT_EQ(answer_to(Kind::reload, "a"), "refused: no library; still serving a 1.0.0 ()");
  folder_.files.clear();
  EXPECT_EQ(answer_to(Kind::reload, "a"), "its file is gone");
}

TEST_F(FolderSourceTest, KnowsAnUpstreamOfTheConfigurationByItsTable) {
  using Kind = OperatorRequest::Kind;
  folder_.write("a");
  folder_.files["a"].is_configured = true;
  folder_.write("b");
  source_.look();
  pass(30ms);
  EXPECT_EQ(answer_to(Kind::disable, "[upstreams.a]"), "disabled");
  EXPECT_EQ(answer_to(Kind::enable, "[upstreams.a]"), "serving a 1.0.0 ()");
  EXPECT_EQ(answer_to(Kind::reload, "[upstreams.b]"),
            "error: no plugin or upstream is called \"[upstreams.b]\"; there are a, b");
}

TEST_F(FolderSourceTest, ReportsWhichUpstreamsAreOfTheConfiguration) {
  for (const auto* const name : {"a.mcp", "b.mcp"}) {
    folder_.write(name);
    folder_.files[name].file = "/components/tools/" + std::string(name) + ".json";
  }
  folder_.files["b.mcp"].is_configured = true;
  source_.look();
  pass(30ms);
  const auto report = source_.operator_service().report();
  ASSERT_EQ(report.plugins.size(), 2U);
  EXPECT_FALSE(report.plugins[0].is_configured);
  EXPECT_TRUE(report.plugins[1].is_configured);
}

TEST_F(FolderSourceTest, TellsTheOperatorOfAFileThatChangesWhileItIsLoaded) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  bool changed = false;
  const auto answer = ask(OperatorRequest::Kind::reload, "a", [&] {
    if (!loads_.tasks.empty() && !std::exchange(changed, true)) {
      folder_.write("a");
      source_.look();
    }
  });
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->front().text, "its file changes just now, and is taken when it is still");
}

TEST_F(FolderSourceTest, AnswersTheOperatorWhoseLoadHangsOnceItCountsNoMore) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  auto first = std::async(std::launch::async, [&] {
    return source_.operator_service().ask({OperatorRequest::Kind::reload, "a"});
  });
  while (loads_.tasks.empty())
    source_.look();
  const auto hanging = std::move(loads_.tasks.front());
  loads_.tasks.pop_front();
  EXPECT_EQ(answer_to(OperatorRequest::Kind::disable, "a"), "disabled");
  EXPECT_EQ(first.get()->front().text, "it was disabled meanwhile");
  hanging();
}

TEST_F(FolderSourceTest, ReportsHowEverythingFares) {
  folder_.write("a");
  folder_.write("b");
  loader_.refusals.emplace("b", fail("no library"));
  source_.look();
  pass(30ms);
  ask(OperatorRequest::Kind::disable, "a");
  const auto report = source_.operator_service().report();
  ASSERT_EQ(report.plugins.size(), 2U);
  EXPECT_EQ(report.plugins[0].state, ReportedState::disabled);
  EXPECT_EQ(report.plugins[0].identity->name, "a");
  EXPECT_EQ(report.plugins[1].state, ReportedState::refused);
  EXPECT_EQ(report.plugins[1].refusal, "no library");
}

TEST_F(FolderSourceTest, TellsOnceThatLooksAreSlowWhenOneAfterTheOtherIs) {
  auto time = 300ms;
  folder_.scanned = [&] { now_ += time; };
  source_.look();
  time = 1ms;
  pass(1min);
  time = 300ms;
  source_.look();
  EXPECT_EQ(log_.count("components folder is slow"), 0U);
  pass(1min);
  pass(1min);
  EXPECT_EQ(log_.count("components folder is slow"), 1U);
}

TEST_F(FolderSourceTest, AnswersNobodyOnceItHasStopped) {
  source_.stop(0ms);
  const auto answer = source_.operator_service().ask({OperatorRequest::Kind::reload, {}});
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(answer.error().message, "the host is stopping");
}

TEST_F(FolderSourceTest, TellsWhoLoadsThatItStops) {
  EXPECT_FALSE(loader_.is_stopped);
  source_.stop(0ms);
  EXPECT_TRUE(loader_.is_stopped);
}

TEST_F(FolderSourceTest, HasNotStoppedWhileALoadHangs) {
  source_.look();
  folder_.write("a");
  folder_.write("b");
  source_.look();
  now_ += 30ms;
  source_.look();
  std::vector<std::string> during_loads;
  loader_.at_end = [&](const std::string&) { during_loads.emplace_back(source_.stop(0ms) ? "stopped" : "stops"); };
  loads_.run_all();
  EXPECT_THAT(during_loads, ElementsAre("stops")) << "and the other load does not begin any more";
  EXPECT_TRUE(source_.stop(0ms));
  EXPECT_THAT(served(), IsEmpty());
  source_.release_plugins();
  for (const auto& [name, plugin] : loader_.plugins)
    EXPECT_TRUE(plugin.expired()) << name;
}

TEST_F(FolderSourceTest, SeesChangesSoonHoweverOftenTheOperatorHasAsked) {
  folder_.write("a");
  source_.look();
  pass(30ms);
  folder_.scanned = [this] { now_ += 300ms; };
  for (int i = 0; i < 20; ++i)
    ask(OperatorRequest::Kind::reload, "a");
  folder_.scanned = {};
  folder_.write("b");
  pass(10s);
  pass(30ms);
  EXPECT_THAT(served(), ElementsAre("a", "b"));
}

TEST_F(FolderSourceTest, DescribesLaterWhatThereWasNoMemoryFor) {
  folder_.write("a");
  folder_.write("b");
  source_.look();
  pass(30ms);
  for (const std::string name : {"a", "b"}) {
    loader_.plugins[name].lock()->description = test::tools(test::tool("more_" + name));
    loader_.events_of[name].components_changed(std::make_shared<ComponentChanges>([](const auto&) {}, loads_, timers_));
  }
  loads_.lacks_memory = 1;
  EXPECT_THROW(source_.look(), std::bad_alloc);
  pass(1s);
  EXPECT_NE(catalog_.current()->find_tool("more_a"), nullptr);
  EXPECT_NE(catalog_.current()->find_tool("more_b"), nullptr);
}

}  // namespace
}  // namespace mcph
