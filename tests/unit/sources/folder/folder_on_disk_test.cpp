// A real folder, real libraries and the system's own watch. The libraries are played by tests/unit/fixtures/actor.cpp,
// whose configuration file says what it exports.
#include <atomic>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/kept_memory.hpp"
#include "support/recording_call.hpp"
#include "support/source_on_disk.hpp"
#include "support/standard_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_workers.hpp"
#include "support/thread_executor.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::eventually;
using ::testing::HasSubstr;
using ::testing::Not;

// Remembers every catalog that changed a list.
class Publications final : public ListListener {
 public:
  explicit Publications(const PublishedCatalog& catalog) : catalog_(catalog) {}
  void lists_changed(ListKinds) override {
    ++count;
    if (catalog_.current()->find_tool("alpha") == nullptr) alpha_was_missing = true;
  }
  std::atomic<int> count{0};
  std::atomic<bool> alpha_was_missing{false};

 private:
  const PublishedCatalog& catalog_;
};

std::string exports(const std::string& tool, const std::string& more = {}) {
  return R"({"tools":[{"name":")" + tool + R"(","inputSchema":{"type":"object"}}])" + more + "}";
}

class FolderOnDiskTest : public ::testing::Test {
 protected:
  FolderOnDiskTest() { options_.root = root(); }
  ~FolderOnDiskTest() override {
    if (source_) {
      EXPECT_TRUE(source()->stop(test::patience));
      source()->release_plugins();
    }
    catalog_.clear();
    EXPECT_TRUE(reaper_.wait_until_empty(test::patience)) << "a plugin is still leased";
  }

  fs::path root() const { return temporary_.path() / "components"; }
  fs::path file(const std::string& name) const { return root() / "tools" / (name + ".so"); }
  fs::path configuration(const std::string& name) const { return root() / "tools" / (name + ".json"); }
  static fs::path fixture(const std::string& name) { return fs::path(MCP_TEST_FIXTURES) / (name + ".so"); }

  // Atomically, as a careful tool does.
  void place(const fs::path& target, const fs::path& source) const {
    fs::create_directories(target.parent_path());
    fs::copy_file(source, temporary_.path() / "incoming", fs::copy_options::overwrite_existing);
    fs::rename(temporary_.path() / "incoming", target);
  }
  void place_text(const fs::path& target, std::string_view text) const {
    place(target, temporary_.write("text", text));
  }
  void drop(const std::string& name, const std::string& description, const std::string& library = "unit_actor") const {
    place_text(configuration(name), description);
    place(file(name), fixture(library));
  }

  // What a link that was broken or switched leaves: a link to a file that is not there yet.
  void link(const fs::path& target, const fs::path& to) const {
    fs::create_symlink(to, temporary_.path() / "incoming");
    fs::rename(temporary_.path() / "incoming", target);
  }
  // Runs nowhere without its sandbox.
  static std::string sandboxed(const std::string& tool) {
    return exports(tool, R"(,"isolation":"worker","sandbox":{"profile":"strict","required":true})");
  }
  SandboxProfile sandbox_of(const std::string& tool) const { return plugin_of(tool)->status().sandbox; }

  bool eventually_logged(const std::string& text) const {
    return eventually([&] { return captured_.text().find(text) != std::string::npos; });
  }

  FolderSource* source() { return &**source_; }

  // Takes what is there and goes on from it.
  void run() {
    source_.emplace(options_, drain_, instructions_, loader_, catalog_, log_);
    source()->load_all(1min);
    catalog_.listen(publications_);
    source()->run();
  }

  bool serves(const std::string& tool) const { return catalog_.current()->find_tool(tool) != nullptr; }
  std::string version_of(const std::string& tool) const {
    const auto catalog = catalog_.current();
    const auto* served = catalog->find_tool(tool);
    return served == nullptr ? "none" : served->plugin->identity().version;
  }
  std::string file_of(const std::string& tool) const {
    const auto catalog = catalog_.current();
    const auto* served = catalog->find_tool(tool);
    return served == nullptr ? "none" : served->plugin->identity().file.filename().string();
  }
  std::shared_ptr<Plugin> plugin_of(const std::string& tool) const {
    const auto catalog = catalog_.current();
    const auto* served = catalog->find_tool(tool);
    return served == nullptr ? nullptr : served->plugin;
  }

  std::shared_ptr<test::RecordingCall> begin(const std::shared_ptr<Plugin>& plugin, const std::string& tool) {
    auto call = std::make_shared<test::RecordingCall>(tool, "{}", plugin);
    plugin->invoke(call);
    return call;
  }
  std::string call(const std::string& tool) {
    const auto begun = begin(plugin_of(tool), tool);
    const auto end = begun->end();
    return end.substr(end.find(' ') + 1);
  }

  PluginLoader::Options loader_options() const {
    PluginLoader::Options options;
    options.data_root = temporary_.path() / "data";
    options.required_sandboxes = temporary_.path() / "state" / "required";
    options.isolation = test::isolation_under_test();
    return options;
  }

  const test::TemporaryFolder temporary_;
  StderrLog log_{Log::Level::info, StderrLog::Format::text};
  const test::StandardErrorCapture captured_;
  test::ThreadExecutor executor_;
  test::TestWorkers workers_;
  Reaper reaper_{test::patience, log_};
  PluginLoader loader_{
      *PrivateFolder::create({temporary_.path()}), loader_options(), executor_, workers_.workers, reaper_, log_};
  PublishedCatalog catalog_;
  const std::shared_ptr<Publications> publications_ = std::make_shared<Publications>(catalog_);
  FolderSource::Options options_;
  Drainer::Options drain_;
  std::string instructions_;
  std::optional<test::SourceOnDisk> source_;
};

TEST_F(FolderOnDiskTest, ServesWhatLiesThereAtTheStart) {
  drop("alpha", exports("alpha"));
  place_text(root() / "prompts" / "nested" / "beta.json", R"({"prompts":[{"name":"beta"}],"instructions":"Of beta."})");
  place(root() / "prompts" / "nested" / "beta.so", fixture("unit_actor"));
  instructions_ = "Of the operator.";
  source_.emplace(options_, drain_, instructions_, loader_, catalog_, log_);
  source()->load_all(1min);
  EXPECT_TRUE(serves("alpha"));
  EXPECT_NE(catalog_.current()->find_prompt("beta"), nullptr);
  EXPECT_EQ(catalog_.current()->instructions(), "Of the operator.\n\nOf beta.");
  EXPECT_TRUE(source()->refused().empty());
}

TEST_F(FolderOnDiskTest, StartsWithoutAnyFolder) {
  run();
  EXPECT_EQ(catalog_.current()->generation(), 1U);
  drop("alpha", exports("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
}

TEST_F(FolderOnDiskTest, ServesAFileThatIsCreated) {
  fs::create_directories(root() / "tools");
  run();
  drop("alpha", exports("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
  EXPECT_EQ(call("alpha"), R"({"content":[],"structuredContent":{"arguments":{},"name":"alpha"}})");
}

TEST_F(FolderOnDiskTest, SwapsAFileThatIsReplacedByARename) {
  drop("alpha", exports("alpha"));
  run();
  EXPECT_EQ(version_of("alpha"), "1.0.0");
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
}

TEST_F(FolderOnDiskTest, SwapsAFileThatIsOverwrittenInPlace) {
  drop("alpha", exports("alpha"));
  run();
  fs::copy_file(fixture("unit_actor_2"), file("alpha"), fs::copy_options::overwrite_existing);
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
  EXPECT_FALSE(publications_->alpha_was_missing);
}

TEST_F(FolderOnDiskTest, SwapsAFileWhoseLinkIsSwitched) {
  fs::create_directories(root() / "tools");
  place_text(configuration("alpha"), exports("alpha"));
  fs::create_symlink(fixture("unit_actor"), file("alpha"));
  run();
  EXPECT_EQ(version_of("alpha"), "1.0.0");
  fs::create_symlink(fixture("unit_actor_2"), root() / "tools" / ".next");
  fs::rename(root() / "tools" / ".next", file("alpha"));
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
}

TEST_F(FolderOnDiskTest, WithdrawsAFileThatIsRemoved) {
  drop("alpha", exports("alpha"));
  drop("beta", exports("beta"));
  run();
  fs::remove(file("alpha"));
  EXPECT_TRUE(eventually([&] { return !serves("alpha"); }));
  EXPECT_TRUE(serves("beta"));
  EXPECT_TRUE(eventually_logged("plugin withdrawn file=" + file("alpha").string()));
}

TEST_F(FolderOnDiskTest, ReloadKeepsServingWhenTheNewFileIsBroken) {
  drop("alpha", exports("alpha"));
  run();
  place_text(file("alpha"), "no library");
  EXPECT_TRUE(eventually_logged("plugin refused"));
  EXPECT_EQ(version_of("alpha"), "1.0.0");
  EXPECT_EQ(call("alpha"), R"({"content":[],"structuredContent":{"arguments":{},"name":"alpha"}})");
  EXPECT_THAT(captured_.text(), HasSubstr("serving=\"the last good version, 1.0.0\""));

  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
  EXPECT_FALSE(publications_->alpha_was_missing);
}

TEST_F(FolderOnDiskTest, ReloadKeepsServingWhenTheNewVersionDoesNotStart) {
  drop("alpha", exports("alpha"));
  run();
  place_text(configuration("alpha"), exports("alpha", R"(,"start":"the port is taken")"));
  EXPECT_TRUE(eventually_logged("it could not start: the port is taken"));
  EXPECT_EQ(call("alpha"), R"({"content":[],"structuredContent":{"arguments":{},"name":"alpha"}})");
}

TEST_F(FolderOnDiskTest, DoesNotStartAPluginAgainWhoseLibraryStaysMapped) {
  const test::KeptMemory kept;
  drop("alpha", exports("alpha", R"(,"start":"the port is taken","isolation":"in-process-resident")"),
       "unit_actor_resident");
  run();
  EXPECT_TRUE(eventually_logged("it could not start: the port is taken"));
  EXPECT_TRUE(eventually_logged("it is tried again when the file or its configuration changes"));
}

TEST_F(FolderOnDiskTest, OneBadFileNeverDisturbsAnother) {
  drop("alpha", exports("alpha"));
  place_text(file("broken"), "no library");
  drop("misdescribed", R"({"tools":[{"name":"no schema"}]})");
  drop("omega", exports("omega"));
  source_.emplace(options_, drain_, instructions_, loader_, catalog_, log_);
  source()->load_all(1min);
  EXPECT_TRUE(serves("alpha"));
  EXPECT_TRUE(serves("omega"));
  const auto refused = source()->refused();
  ASSERT_EQ(refused.size(), 2U);
  EXPECT_EQ(refused[0].file, file("broken"));
  EXPECT_EQ(refused[1].file, file("misdescribed"));
  EXPECT_EQ(refused[1].reason, "tools[0]: name \"no schema\" is not 1 to 128 characters of A-Za-z0-9_.-");
}

TEST_F(FolderOnDiskTest, RestartsAPluginWhoseConfigurationChanged) {
  drop("alpha", exports("alpha"));
  run();
  place_text(configuration("alpha"), exports("renamed"));
  EXPECT_TRUE(eventually([&] { return serves("renamed"); }));
  EXPECT_FALSE(serves("alpha"));
}

TEST_F(FolderOnDiskTest, ABrokenConfigurationKeepsTheLastGoodOne) {
  drop("alpha", exports("alpha"));
  run();
  place_text(configuration("alpha"), "{\"tools\": [");
  EXPECT_TRUE(eventually_logged("is not valid JSON"));
  EXPECT_TRUE(serves("alpha"));
  place_text(configuration("alpha"), exports("mended"));
  EXPECT_TRUE(eventually([&] { return serves("mended"); }));
}

TEST_F(FolderOnDiskTest, GoesOnAsItWasWhileTheConfigurationIsAway) {
  drop("alpha", exports("alpha"));
  options_.patience.configuration = 10min;
  run();
  fs::remove(configuration("alpha"));
  // That another file is served shows that the folder has been looked at meanwhile, and that nobody waits.
  drop("beta", exports("beta"));
  EXPECT_TRUE(eventually([&] { return serves("beta"); }));
  place(file("alpha"), fixture("unit_actor_2"));
  drop("gamma", exports("gamma"));
  EXPECT_TRUE(eventually([&] { return serves("gamma"); }));
  EXPECT_EQ(version_of("alpha"), "1.0.0");
  place_text(configuration("alpha"), exports("alpha"));
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
  EXPECT_FALSE(publications_->alpha_was_missing);
}

TEST_F(FolderOnDiskTest, DoesNotLoadAPluginWhoseConfigurationIsAwayWhenTheOperatorAsks) {
  drop("alpha", exports("alpha"));
  options_.patience.configuration = 10min;
  run();
  fs::remove(configuration("alpha"));
  const auto answer = source()->operator_service().ask({OperatorRequest::Kind::reload, "actor"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->at(0).text, "its configuration " + configuration("alpha").string() +
                                    " is missing just now; the file is taken when that is back, or stays away");
  EXPECT_TRUE(serves("alpha"));
  place_text(configuration("alpha"), exports("renamed"));
  EXPECT_TRUE(eventually([&] { return serves("renamed"); }));
}

TEST_F(FolderOnDiskTest, ReloadsAPluginThatWasTakenWithoutAConfigurationWhenTheOperatorAsks) {
  place(file("plain"), fixture("unit_plain"));
  run();
  const auto answer = source()->operator_service().ask({OperatorRequest::Kind::reload, "plain"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->at(0).text, HasSubstr("serving plain"));
}

TEST_F(FolderOnDiskTest, WaitsForTheConfigurationOfANewFile) {
  options_.patience.new_file = 10min;
  options_.burst_patience = 1ms;
  run();
  place(file("alpha"), fixture("unit_actor"));
  drop("beta", exports("beta"));
  EXPECT_TRUE(eventually([&] { return serves("beta"); }));
  EXPECT_THAT(captured_.text(), Not(HasSubstr(file("alpha").string())));
  place_text(configuration("alpha"), exports("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
}

TEST_F(FolderOnDiskTest, TakesANewFileThatHasNoConfiguration) {
  run();
  place(file("plain"), fixture("unit_plain"));
  EXPECT_TRUE(eventually([&] { return serves("plain"); }));
}

TEST_F(FolderOnDiskTest, DoesNotWaitForAConfigurationThatAPluginNeverHad) {
  options_.patience.new_file = 10min;
  options_.patience.configuration = 10min;
  place(file("alpha"), fixture("unit_actor"));
  run();
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually_logged("plugin replaced file=" + file("alpha").string()));
}

TEST_F(FolderOnDiskTest, KeepsServingTheSandboxedVersionWhenTheConfigurationIsADanglingLink) {
  drop("alpha", sandboxed("alpha"));
  run();
  ASSERT_TRUE(serves("alpha"));
  const auto target = temporary_.path() / "components" / "settings" / "alpha.json";
  link(configuration("alpha"), target);
  EXPECT_TRUE(eventually_logged("plugin refused file=" + file("alpha").string() + " reason=\"its configuration " +
                                configuration("alpha").string() +
                                " cannot be used: it is a link to a file that does not exist; make that file, or "
                                "remove the link\" serving=\"the last good version, 1.0.0\""));
  EXPECT_EQ(sandbox_of("alpha"), SandboxProfile::strict);
  place_text(target, sandboxed("renamed"));
  EXPECT_TRUE(eventually([&] { return serves("renamed"); }));
  EXPECT_EQ(sandbox_of("renamed"), SandboxProfile::strict);
}

TEST_F(FolderOnDiskTest, ServesNothingOfAPluginWhoseConfigurationIsADanglingLink) {
  place(file("plain"), fixture("unit_plain"));
  link(configuration("plain"), "nowhere.json");
  source_.emplace(options_, drain_, instructions_, loader_, catalog_, log_);
  source()->load_all(1min);
  EXPECT_FALSE(serves("plain"));
  ASSERT_EQ(source()->refused().size(), 1U);
  EXPECT_THAT(source()->refused()[0].reason, HasSubstr("it is a link to a file that does not exist"));
}

TEST_F(FolderOnDiskTest, WaitsForTheConfigurationOfANewFileAlsoWhenTheOperatorAsksForIt) {
  options_.patience.new_file = 10min;
  run();
  place(file("alpha"), fixture("unit_actor"));
  const auto answer = source()->operator_service().ask({OperatorRequest::Kind::reload, "alpha"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->at(0).text, "it is new and has no configuration; it is taken in a moment, if none follows");
  place_text(configuration("alpha"), exports("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
  EXPECT_EQ(captured_.text().find("plugin refused"), std::string::npos);
}

TEST_F(FolderOnDiskTest, NeverServesWithoutItsConfigurationWhatRequiredASandbox) {
  drop("alpha", sandboxed("alpha"));
  options_.patience.configuration = 20ms;
  options_.patience.new_file = 20ms;
  run();
  ASSERT_TRUE(serves("alpha"));
  const auto refused = "plugin refused file=" + file("alpha").string() + " reason=\"its configuration " +
                       configuration("alpha").string() +
                       " is gone, which said that its sandbox is \\\"required\\\"; put it back, or write {} into it to "
                       "run the plugin without that\" serving=";
  fs::remove(configuration("alpha"));
  EXPECT_TRUE(eventually_logged(refused + "\"the last good version, 1.0.0\""));
  EXPECT_EQ(sandbox_of("alpha"), SandboxProfile::strict);

  fs::remove(file("alpha"));
  EXPECT_TRUE(eventually([&] { return !serves("alpha"); }));
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually_logged(refused + "\"nothing of it\""));
  const auto answer = source()->operator_service().ask({OperatorRequest::Kind::reload, "alpha"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->at(0).text, HasSubstr("its sandbox is \"required\""));

  place_text(configuration("alpha"), "{}");
  EXPECT_TRUE(eventually_logged("plugin loaded file=" + file("alpha").string() + " plugin=actor version=2.0.0"));
  fs::remove(configuration("alpha"));
  EXPECT_TRUE(eventually_logged("cause=\"its configuration is gone\""));
}

TEST_F(FolderOnDiskTest, RemembersAfterARestartWhatRequiredASandbox) {
  drop("alpha", sandboxed("alpha"));
  source_.emplace(options_, drain_, instructions_, loader_, catalog_, log_);
  source()->load_all(1min);
  ASSERT_TRUE(serves("alpha"));
  source()->release_plugins();
  catalog_.clear();
  ASSERT_TRUE(reaper_.wait_until_empty(test::patience));

  fs::remove(configuration("alpha"));
  PluginLoader next(*PrivateFolder::create({temporary_.path()}), loader_options(), executor_, workers_.workers, reaper_,
                    log_);
  source_.emplace(options_, drain_, instructions_, next, catalog_, log_);
  source()->load_all(1min);
  EXPECT_TRUE(catalog_.current()->plugins().empty());
  ASSERT_EQ(source()->refused().size(), 1U);
  EXPECT_THAT(source()->refused()[0].reason, HasSubstr("which said that its sandbox is \"required\""));
  source_.reset();
}

TEST_F(FolderOnDiskTest, SaysOnceThatARequiredSandboxIsNotRememberedAndRemembersItWhenThatIsPossible) {
  const auto in_the_way = temporary_.write("state", "no folder");
  drop("alpha", sandboxed("alpha"));
  run();
  const auto reload = [this] {
    return source()->operator_service().ask({OperatorRequest::Kind::reload, "alpha"}).has_value();
  };
  EXPECT_TRUE(reload());
  const auto text = captured_.text();
  const auto first = text.find("sandbox not remembered");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("sandbox not remembered", first + 1), std::string::npos);

  fs::remove(in_the_way);
  EXPECT_TRUE(reload());
  EXPECT_FALSE(fs::is_empty(loader_options().required_sandboxes));
}

// What cannot be used now is no word of the operator's that it may run without.
TEST_F(FolderOnDiskTest, RemembersARequiredSandboxAlsoOfAPluginThatWasNeverServed) {
  drop("alpha", sandboxed("not a name"));
  options_.patience.configuration = 20ms;
  run();
  EXPECT_TRUE(eventually_logged("plugin refused"));
  fs::remove(configuration("alpha"));
  EXPECT_TRUE(eventually_logged("which said that its sandbox is"));
  EXPECT_TRUE(catalog_.current()->plugins().empty());
}

TEST_F(FolderOnDiskTest, NeverWithdrawsAFileThatComesBackInTime) {
  drop("alpha", exports("alpha"));
  options_.patience.removal = 10min;
  run();
  fs::remove(file("alpha"));
  // That another file is served shows that the folder has been looked at meanwhile.
  drop("beta", exports("beta"));
  EXPECT_TRUE(eventually([&] { return serves("beta"); }));
  EXPECT_TRUE(serves("alpha"));
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
  EXPECT_FALSE(publications_->alpha_was_missing);
}

TEST_F(FolderOnDiskTest, PublishesComponentsThatAPluginChangedWhileRunning) {
  drop("alpha", exports("changes_its_components"));
  run();
  const auto* const plugin = plugin_of("changes_its_components").get();
  call("changes_its_components");
  EXPECT_TRUE(eventually([&] { return serves("changed"); }));
  EXPECT_FALSE(serves("changes_its_components"));
  EXPECT_EQ(plugin_of("changed").get(), plugin);
}

TEST_F(FolderOnDiskTest, ServesOnWhatAPluginHadThatCannotDescribeItselfAnyMore) {
  drop("alpha", exports("loses_its_components"));
  run();
  call("loses_its_components");
  EXPECT_TRUE(eventually_logged("it could not describe its components: its index is lost"));
  EXPECT_TRUE(serves("loses_its_components"));
}

TEST_F(FolderOnDiskTest, PublishesNothingWhenAPluginOnlySaysThatItChanged) {
  drop("alpha", exports("changes_its_components"));
  run();
  call("changes_its_components");
  ASSERT_TRUE(eventually([&] { return serves("changed"); }));
  const auto before = catalog_.current()->generation();
  const auto again = begin(plugin_of("changed"), "changes_its_components");
  EXPECT_TRUE(eventually([&] { return again->ended.load(); }));
  drop("beta", exports("beta"));
  EXPECT_TRUE(eventually([&] { return serves("beta"); }));
  EXPECT_EQ(catalog_.current()->generation() - before, 1U);
}

TEST_F(FolderOnDiskTest, LetsAnOldVersionDrainBeforeItIsStopped) {
  const auto description = R"({"tools":[{"name":"keeps_the_call","inputSchema":{"type":"object"}}],"trace":"yes"})";
  const auto stopped = temporary_.path() / "data" / "elsewhere" / "alpha" / "1.0.0.stopped";
  drop("alpha", description);
  run();
  const std::weak_ptr<Plugin> old = plugin_of("keeps_the_call");
  auto kept = begin(old.lock(), "keeps_the_call");
  ASSERT_TRUE(kept->begun());
  place(file("alpha"), fixture("unit_actor_2"));
  ASSERT_TRUE(eventually([&] { return version_of("keeps_the_call") == "2.0.0"; }));
  ASSERT_FALSE(old.expired());
  EXPECT_FALSE(fs::exists(stopped));
  EXPECT_FALSE(kept->ended);

  begin(old.lock(), "completes_kept_calls");
  EXPECT_TRUE(eventually([&] { return kept->ended.load(); }));
  EXPECT_FALSE(fs::exists(stopped));
  kept.reset();
  EXPECT_TRUE(eventually([&] { return fs::exists(stopped); }));
}

TEST_F(FolderOnDiskTest, EndsTheCallsOfWhatIsServedAndOfWhatDrains) {
  drop("alpha", exports("waits_for_cancel"));
  drain_.heed_time = test::patience;
  run();
  const auto draining = begin(plugin_of("waits_for_cancel"), "waits_for_cancel");
  place(file("alpha"), fixture("unit_actor_2"));
  ASSERT_TRUE(eventually([&] { return version_of("waits_for_cancel") == "2.0.0"; }));
  const auto current = begin(plugin_of("waits_for_cancel"), "waits_for_cancel");
  EXPECT_TRUE(source()->stop(test::patience));
  EXPECT_TRUE(source_->drainer().end_calls([&] { return Drainer::Plugins{plugin_of("waits_for_cancel")}; }, 0ms,
                                           [&] { return draining->ended && current->ended; }));
  EXPECT_EQ(draining->cancelled(), CancelReason::shutdown);
  EXPECT_EQ(current->cancelled(), CancelReason::shutdown);
}

TEST_F(FolderOnDiskTest, TellsNobodyOfANewVersionThatExportsTheSame) {
  drop("alpha", exports("alpha"));
  run();
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually_logged("plugin replaced"));  // which is said when all have been told
  EXPECT_EQ(version_of("alpha"), "2.0.0");
  EXPECT_EQ(publications_->count, 0);
}

TEST_F(FolderOnDiskTest, PublishesABurstOfFilesAsOneCatalog) {
  constexpr int count = 20;
  fs::create_directories(root() / "tools");
  options_.task_patience = 1min;  // none of the loads is left behind
  run();
  const auto before = catalog_.current()->generation();
  const auto burst = temporary_.path() / "burst";
  for (int i = 0; i < count; ++i) {
    const auto name = "t" + std::to_string(i);
    place_text(burst / (name + ".json"), exports(name));
    place(burst / (name + ".so"), fixture("unit_actor"));
  }
  fs::rename(burst, root() / "tools" / "burst");
  const auto are_served = [&] { return catalog_.current()->plugins().size() == count; };
  EXPECT_TRUE(eventually(are_served) || eventually(are_served)) << "so many may take longer";
  EXPECT_EQ(catalog_.current()->generation() - before, 1U);
  EXPECT_TRUE(eventually_logged("plugin loaded"));  // which is said when all have been told
  EXPECT_EQ(publications_->count, 1);
}

// Its file has changed since, but what lies there now was refused.
TEST_F(FolderOnDiskTest, WithdrawsAVersionThatGivesUpAlsoWhenItsFileHasBeenBrokenMeanwhile) {
  if (test::isolation_under_test() != Isolation::worker) GTEST_SKIP() << "only a process can die and others live";
  drop("alpha", R"({"restarts":{"crashes":1},"tools":[{"name":"crashes","inputSchema":{"type":"object"}}]})");
  run();
  place_text(file("alpha"), "no library");
  ASSERT_TRUE(eventually_logged("plugin refused"));
  call("crashes");
  EXPECT_TRUE(eventually([&] { return !serves("crashes"); }));
}

TEST_F(FolderOnDiskTest, StopsTwiceWithoutHarm) {
  run();
  EXPECT_TRUE(source()->stop(test::patience));
  EXPECT_TRUE(source()->stop(test::patience));
}

}  // namespace
}  // namespace mcph
