// A real folder, real libraries and the system's own watch. The libraries are played by tests/unit/fixtures/actor.cpp,
// whose configuration file says what it exports.
#include "sources/folder/reloader.hpp"

#include <atomic>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/kept_memory.hpp"
#include "support/standard_error.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_workers.hpp"
#include "support/thread_runner.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::eventually;
using ::testing::HasSubstr;
using ::testing::Not;

// Keeps its plugin, as every call in flight does.
class LeasedCall final : public Call {
 public:
  LeasedCall(const std::string& tool, std::shared_ptr<Plugin> lease)
      : Call("tools/call", R"({"arguments":{},"name":")" + tool + "\"}"), lease_(std::move(lease)) {}
  void progress(double, double, std::string_view) override { begun = true; }
  void log(std::int32_t, std::string_view) override {}
  void complete(Outcome, std::string json) override {
    end = std::move(json);
    ended = true;
  }
  std::string context() const override { return "{}"; }

  std::string end;
  std::atomic<bool> begun{false};
  std::atomic<bool> ended{false};

 private:
  const std::shared_ptr<Plugin> lease_;
};

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

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string exports(const std::string& tool, const std::string& more = {}) {
  return R"({"tools":[{"name":")" + tool + R"(","inputSchema":{"type":"object"}}])" + more + "}";
}

class ReloaderTest : public ::testing::Test {
 protected:
  ReloaderTest() { options_.root = root(); }
  ~ReloaderTest() override {
    if (reloader_) {
      EXPECT_TRUE(reloader_->stop(test::patience));
      reloader_->release_plugins();
    }
    catalog_.clear();
    EXPECT_TRUE(retirement_.wait_until_empty(test::patience)) << "a plugin is still leased";
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

  // Takes what is there and goes on from it.
  void run() {
    reloader_.emplace(options_, loader_, catalog_, log_);
    reloader_->load_all();
    catalog_.listen(publications_);
    reloader_->run();
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

  std::shared_ptr<LeasedCall> begin(const std::shared_ptr<Plugin>& plugin, const std::string& tool) {
    auto call = std::make_shared<LeasedCall>(tool, plugin);
    plugin->invoke(call);
    return call;
  }
  std::string call(const std::string& tool) {
    const auto begun = begin(plugin_of(tool), tool);
    return eventually([&] { return begun->ended.load(); }) ? begun->end : "no answer";
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
  test::ThreadRunner runner_;
  test::TestWorkers workers_;
  Retirement retirement_{10s, log_};
  PluginLoader loader_{
      *PrivateFolder::create({temporary_.path()}), loader_options(), runner_, workers_.workers, retirement_, log_};
  PublishedCatalog catalog_;
  const std::shared_ptr<Publications> publications_ = std::make_shared<Publications>(catalog_);
  Reloader::Options options_;
  std::optional<Reloader> reloader_;
};

TEST_F(ReloaderTest, ServesWhatLiesThereAtTheStart) {
  drop("alpha", exports("alpha"));
  place_text(root() / "prompts" / "nested" / "beta.json", R"({"prompts":[{"name":"beta"}],"instructions":"Of beta."})");
  place(root() / "prompts" / "nested" / "beta.so", fixture("unit_actor"));
  options_.instructions = "Of the operator.";
  reloader_.emplace(options_, loader_, catalog_, log_);
  reloader_->load_all();
  EXPECT_TRUE(serves("alpha"));
  EXPECT_NE(catalog_.current()->find_prompt("beta"), nullptr);
  EXPECT_EQ(catalog_.current()->instructions(), "Of the operator.\n\nOf beta.");
  EXPECT_TRUE(reloader_->refused().empty());
}

TEST_F(ReloaderTest, StartsWithoutAnyFolder) {
  run();
  EXPECT_EQ(catalog_.current()->generation(), 1U);
  drop("alpha", exports("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
}

TEST_F(ReloaderTest, ServesAFileThatIsCreated) {
  fs::create_directories(root() / "tools");
  run();
  drop("alpha", exports("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
  EXPECT_EQ(call("alpha"), R"({"content":[],"structuredContent":{"arguments":{},"name":"alpha"}})");
}

TEST_F(ReloaderTest, SwapsAFileThatIsReplacedByARename) {
  drop("alpha", exports("alpha"));
  run();
  EXPECT_EQ(version_of("alpha"), "1.0.0");
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
}

TEST_F(ReloaderTest, SwapsAFileThatIsOverwrittenInPlace) {
  drop("alpha", exports("alpha"));
  run();
  fs::copy_file(fixture("unit_actor_2"), file("alpha"), fs::copy_options::overwrite_existing);
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
  EXPECT_FALSE(publications_->alpha_was_missing);
}

TEST_F(ReloaderTest, SwapsAFileWhoseLinkIsSwitched) {
  fs::create_directories(root() / "tools");
  place_text(configuration("alpha"), exports("alpha"));
  fs::create_symlink(fixture("unit_actor"), file("alpha"));
  run();
  EXPECT_EQ(version_of("alpha"), "1.0.0");
  fs::create_symlink(fixture("unit_actor_2"), root() / "tools" / ".next");
  fs::rename(root() / "tools" / ".next", file("alpha"));
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
}

TEST_F(ReloaderTest, WithdrawsAFileThatIsRemoved) {
  drop("alpha", exports("alpha"));
  drop("beta", exports("beta"));
  run();
  fs::remove(file("alpha"));
  EXPECT_TRUE(eventually([&] { return !serves("alpha"); }));
  EXPECT_TRUE(serves("beta"));
  EXPECT_TRUE(eventually_logged("plugin withdrawn file=" + file("alpha").string()));
}

TEST_F(ReloaderTest, ReloadKeepsServingWhenTheNewFileIsBroken) {
  drop("alpha", exports("alpha"));
  run();
  place_text(file("alpha"), "no library");
  EXPECT_TRUE(eventually_logged("plugin refused"));
  EXPECT_EQ(version_of("alpha"), "1.0.0");
  EXPECT_NE(call("alpha"), "no answer");
  EXPECT_THAT(captured_.text(), HasSubstr("serving=\"the last good version, 1.0.0\""));

  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
  EXPECT_FALSE(publications_->alpha_was_missing);
}

TEST_F(ReloaderTest, ReloadWaitsForACopyThatPauses) {
  options_.copy_patience = test::patience;
  run();
  const auto whole = read(fixture("unit_actor"));
  place_text(configuration("alpha"), exports("alpha"));
  std::ofstream copy(file("alpha"), std::ios::binary);
  copy << whole.substr(0, whole.size() / 2) << std::flush;
  std::this_thread::sleep_for(10 * options_.settle_time);
  copy << whole.substr(whole.size() / 2) << std::flush;
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
  EXPECT_THAT(captured_.text(), Not(HasSubstr("plugin refused")));
}

TEST_F(ReloaderTest, ReloadKeepsServingWhenTheNewVersionDoesNotStart) {
  drop("alpha", exports("alpha"));
  run();
  place_text(configuration("alpha"), exports("alpha", R"(,"start":"the port is taken")"));
  EXPECT_TRUE(eventually_logged("it could not start: the port is taken"));
  EXPECT_NE(call("alpha"), "no answer");
}

TEST_F(ReloaderTest, TriesAPluginAgainWhoseStartFailed) {
  const auto needed = temporary_.path() / "needed";
  drop("alpha", exports("alpha", R"(,"start_needs":")" + needed.string() + R"(")"));
  options_.first_retry = 20ms;
  options_.last_retry = 40ms;
  run();
  EXPECT_TRUE(eventually_logged("it could not start: a file is missing"));
  EXPECT_FALSE(serves("alpha"));
  place_text(needed, "");
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
  const auto log = captured_.text();
  EXPECT_EQ(log.find("plugin refused"), log.rfind("plugin refused")) << "the same reason is said once";
}

TEST_F(ReloaderTest, DoesNotStartAPluginAgainWhoseLibraryStaysMapped) {
  const test::KeptMemory kept;
  drop("alpha", exports("alpha", R"(,"start":"the port is taken")"), "unit_actor_resident");
  run();
  EXPECT_TRUE(eventually_logged("it could not start: the port is taken"));
  EXPECT_TRUE(eventually_logged("it is tried again when the file or its configuration changes"));
}

TEST_F(ReloaderTest, OneBadFileNeverDisturbsAnother) {
  drop("alpha", exports("alpha"));
  place_text(file("broken"), "no library");
  drop("misdescribed", R"({"tools":[{"name":"no schema"}]})");
  drop("omega", exports("omega"));
  reloader_.emplace(options_, loader_, catalog_, log_);
  reloader_->load_all();
  EXPECT_TRUE(serves("alpha"));
  EXPECT_TRUE(serves("omega"));
  const auto refused = reloader_->refused();
  ASSERT_EQ(refused.size(), 2U);
  EXPECT_EQ(refused[0].file, file("broken"));
  EXPECT_EQ(refused[1].file, file("misdescribed"));
  EXPECT_EQ(refused[1].reason, "tools[0]: name \"no schema\" is not 1 to 128 characters of A-Za-z0-9_.-");
}

TEST_F(ReloaderTest, RefusesABadFileOnceUntilItChanges) {
  run();
  place_text(file("broken"), "no library");
  EXPECT_TRUE(eventually_logged("plugin refused"));
  drop("alpha", exports("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
  const auto log = captured_.text();
  EXPECT_EQ(log.find("plugin refused", log.find("plugin refused") + 1), std::string::npos);
}

TEST_F(ReloaderTest, RestartsAPluginWhoseConfigurationChanged) {
  drop("alpha", exports("alpha"));
  run();
  place_text(configuration("alpha"), exports("renamed"));
  EXPECT_TRUE(eventually([&] { return serves("renamed"); }));
  EXPECT_FALSE(serves("alpha"));
}

TEST_F(ReloaderTest, RestartsAPluginWhoseConfigurationIsGone) {
  drop("alpha", exports("alpha"));
  options_.configuration_patience = 100ms;
  run();
  fs::remove(configuration("alpha"));
  EXPECT_TRUE(eventually([&] { return !serves("alpha"); }));
  EXPECT_EQ(catalog_.current()->plugins().size(), 1U);
}

TEST_F(ReloaderTest, ABrokenConfigurationKeepsTheLastGoodOne) {
  drop("alpha", exports("alpha"));
  run();
  place_text(configuration("alpha"), "{\"tools\": [");
  EXPECT_TRUE(eventually_logged("is not valid JSON"));
  EXPECT_TRUE(serves("alpha"));
  place_text(configuration("alpha"), exports("mended"));
  EXPECT_TRUE(eventually([&] { return serves("mended"); }));
}

TEST_F(ReloaderTest, GoesOnAsItWasWhileTheConfigurationIsAway) {
  drop("alpha", exports("alpha"));
  options_.configuration_patience = 10min;
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

TEST_F(ReloaderTest, DoesNotLoadAPluginWhoseConfigurationIsAwayWhenTheOperatorAsks) {
  drop("alpha", exports("alpha"));
  options_.configuration_patience = 10min;
  run();
  fs::remove(configuration("alpha"));
  const auto answer = reloader_->operate({OperatorRequest::Kind::reload, "actor"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->at(0).text, "its configuration " + configuration("alpha").string() +
                                    " is missing just now; the file is taken when that is back, or stays away");
  EXPECT_TRUE(serves("alpha"));
  place_text(configuration("alpha"), exports("renamed"));
  EXPECT_TRUE(eventually([&] { return serves("renamed"); }));
}

TEST_F(ReloaderTest, ReloadsAPluginThatWasTakenWithoutAConfigurationWhenTheOperatorAsks) {
  place(file("plain"), fixture("unit_plain"));
  run();
  const auto answer = reloader_->operate({OperatorRequest::Kind::reload, "plain"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->at(0).text, HasSubstr("serving plain"));
}

TEST_F(ReloaderTest, WaitsForTheConfigurationOfANewFile) {
  options_.new_file_patience = 10min;
  options_.burst_patience = 1ms;
  run();
  place(file("alpha"), fixture("unit_actor"));
  drop("beta", exports("beta"));
  EXPECT_TRUE(eventually([&] { return serves("beta"); }));
  EXPECT_THAT(captured_.text(), Not(HasSubstr(file("alpha").string())));
  place_text(configuration("alpha"), exports("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
}

TEST_F(ReloaderTest, TakesANewFileThatHasNoConfiguration) {
  run();
  place(file("plain"), fixture("unit_plain"));
  EXPECT_TRUE(eventually([&] { return serves("plain"); }));
}

TEST_F(ReloaderTest, DoesNotWaitForAConfigurationThatAPluginNeverHad) {
  options_.new_file_patience = 10min;
  options_.configuration_patience = 10min;
  place(file("alpha"), fixture("unit_actor"));
  run();
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually_logged("plugin replaced file=" + file("alpha").string()));
}

TEST_F(ReloaderTest, KeepsServingTheSandboxedVersionWhenTheConfigurationIsADanglingLink) {
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

TEST_F(ReloaderTest, ServesNothingOfAPluginWhoseConfigurationIsADanglingLink) {
  place(file("plain"), fixture("unit_plain"));
  link(configuration("plain"), "nowhere.json");
  reloader_.emplace(options_, loader_, catalog_, log_);
  reloader_->load_all();
  EXPECT_FALSE(serves("plain"));
  ASSERT_EQ(reloader_->refused().size(), 1U);
  EXPECT_THAT(reloader_->refused()[0].reason, HasSubstr("it is a link to a file that does not exist"));
}

TEST_F(ReloaderTest, WaitsForTheConfigurationOfANewFileAlsoWhenTheOperatorAsksForIt) {
  options_.new_file_patience = 10min;
  run();
  place(file("alpha"), fixture("unit_actor"));
  const auto answer = reloader_->operate({OperatorRequest::Kind::reload, "alpha"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->at(0).text, "it is new and has no configuration; it is taken in a moment, if none follows");
  place_text(configuration("alpha"), exports("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
  EXPECT_EQ(captured_.text().find("plugin refused"), std::string::npos);
}

TEST_F(ReloaderTest, NeverServesWithoutItsConfigurationWhatRequiredASandbox) {
  drop("alpha", sandboxed("alpha"));
  options_.configuration_patience = 20ms;
  options_.new_file_patience = 20ms;
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
  const auto answer = reloader_->operate({OperatorRequest::Kind::reload, "alpha"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(answer->at(0).text, HasSubstr("its sandbox is \"required\""));

  place_text(configuration("alpha"), "{}");
  EXPECT_TRUE(eventually_logged("plugin loaded file=" + file("alpha").string() + " plugin=actor version=2.0.0"));
  fs::remove(configuration("alpha"));
  EXPECT_TRUE(eventually_logged("cause=\"its configuration is gone\""));
}

TEST_F(ReloaderTest, RemembersAfterARestartWhatRequiredASandbox) {
  drop("alpha", sandboxed("alpha"));
  reloader_.emplace(options_, loader_, catalog_, log_);
  reloader_->load_all();
  ASSERT_TRUE(serves("alpha"));
  reloader_->release_plugins();
  catalog_.clear();

  fs::remove(configuration("alpha"));
  PluginLoader next(*PrivateFolder::create({temporary_.path()}), loader_options(), runner_, workers_.workers,
                    retirement_, log_);
  reloader_.emplace(options_, next, catalog_, log_);
  reloader_->load_all();
  EXPECT_TRUE(catalog_.current()->plugins().empty());
  ASSERT_EQ(reloader_->refused().size(), 1U);
  EXPECT_THAT(reloader_->refused()[0].reason, HasSubstr("which said that its sandbox is \"required\""));
  reloader_.reset();
}

TEST_F(ReloaderTest, SaysOnceThatARequiredSandboxIsNotRememberedAndRemembersItWhenThatIsPossible) {
  const auto in_the_way = temporary_.write("state", "no folder");
  drop("alpha", sandboxed("alpha"));
  run();
  const auto reload = [this] { return reloader_->operate({OperatorRequest::Kind::reload, "alpha"}).has_value(); };
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
TEST_F(ReloaderTest, RemembersARequiredSandboxAlsoOfAPluginThatWasNeverServed) {
  drop("alpha", sandboxed("not a name"));
  options_.configuration_patience = 20ms;
  run();
  EXPECT_TRUE(eventually_logged("plugin refused"));
  fs::remove(configuration("alpha"));
  EXPECT_TRUE(eventually_logged("which said that its sandbox is"));
  EXPECT_TRUE(catalog_.current()->plugins().empty());
}

TEST_F(ReloaderTest, NeverWithdrawsAFileThatComesBackInTime) {
  drop("alpha", exports("alpha"));
  options_.removal_patience = 10min;
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

TEST_F(ReloaderTest, LetsAHiddenComponentTakeOverAtOnce) {
  drop("first", exports("alpha"));
  drop("second", exports("alpha"));
  run();
  EXPECT_EQ(file_of("alpha"), "first.so");
  EXPECT_THAT(captured_.text(), HasSubstr("component hidden tool=alpha served=" + file("first").string() +
                                          " hidden=" + file("second").string()));
  fs::remove(file("first"));
  EXPECT_TRUE(eventually([&] { return file_of("alpha") == "second.so"; }));
  EXPECT_FALSE(publications_->alpha_was_missing);
  EXPECT_TRUE(eventually_logged("component no longer hidden tool=alpha served=" + file("second").string()));
}

TEST_F(ReloaderTest, PublishesComponentsThatAPluginChangedWhileRunning) {
  drop("alpha", exports("changes_its_components"));
  run();
  const auto* const plugin = plugin_of("changes_its_components").get();
  call("changes_its_components");
  EXPECT_TRUE(eventually([&] { return serves("changed"); }));
  EXPECT_FALSE(serves("changes_its_components"));
  EXPECT_EQ(plugin_of("changed").get(), plugin);
}

TEST_F(ReloaderTest, PublishesNothingWhenAPluginOnlySaysThatItChanged) {
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

TEST_F(ReloaderTest, LetsAnOldVersionDrainBeforeItIsStopped) {
  const auto description = R"({"tools":[{"name":"keeps_the_call","inputSchema":{"type":"object"}}],"trace":"yes"})";
  const auto stopped = temporary_.path() / "data" / "elsewhere" / "alpha" / "1.0.0.stopped";
  drop("alpha", description);
  run();
  const std::weak_ptr<Plugin> old = plugin_of("keeps_the_call");
  auto kept = begin(old.lock(), "keeps_the_call");
  ASSERT_TRUE(eventually([&] { return kept->begun.load(); }));
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

TEST_F(ReloaderTest, CancelsTheCallsOfAnOldVersionThatDoNotFinish) {
  drop("alpha", exports("waits_for_cancel"));
  options_.drain_time = 1ms;
  run();
  const auto waiting = begin(plugin_of("waits_for_cancel"), "waits_for_cancel");
  ASSERT_TRUE(eventually([&] { return waiting->begun.load(); }));
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually([&] { return waiting->ended.load(); }));
  EXPECT_EQ(waiting->cancelled(), CancelReason::reload);
  EXPECT_TRUE(eventually_logged("calls cancelled file=" + file("alpha").string() + " version=1.0.0 calls=1"));
}

TEST_F(ReloaderTest, AnswersTheCallsOfAnOldVersionThatDoNotHeedTheirCancellation) {
  drop("alpha", exports("keeps_the_call"));
  options_.drain_time = 1ms;
  options_.heed_time = 1ms;
  run();
  auto kept = begin(plugin_of("keeps_the_call"), "keeps_the_call");
  const std::weak_ptr<Plugin> old = plugin_of("keeps_the_call");
  ASSERT_TRUE(eventually([&] { return kept->begun.load(); }));
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually([&] { return kept->ended.load(); }));
  EXPECT_TRUE(eventually_logged("calls cut off file=" + file("alpha").string() + " version=1.0.0 calls=1"));
  kept.reset();
  EXPECT_TRUE(eventually([&] { return old.expired(); }));
}

TEST_F(ReloaderTest, TellsAtTheEndWhatIsServedAndWhatDrains) {
  drop("alpha", exports("waits_for_cancel"));
  run();
  const auto draining = begin(plugin_of("waits_for_cancel"), "waits_for_cancel");
  place(file("alpha"), fixture("unit_actor_2"));
  ASSERT_TRUE(eventually([&] { return version_of("waits_for_cancel") == "2.0.0"; }));
  const auto current = begin(plugin_of("waits_for_cancel"), "waits_for_cancel");
  EXPECT_TRUE(reloader_->stop(test::patience));
  for (const auto& plugin : reloader_->plugins())
    plugin->cancel_all(CancelReason::shutdown);
  EXPECT_TRUE(eventually([&] { return draining->ended && current->ended; }));
  EXPECT_EQ(draining->cancelled(), CancelReason::shutdown);
  EXPECT_EQ(current->cancelled(), CancelReason::shutdown);
}

TEST_F(ReloaderTest, TellsNobodyOfANewVersionThatExportsTheSame) {
  drop("alpha", exports("alpha"));
  run();
  place(file("alpha"), fixture("unit_actor_2"));
  EXPECT_TRUE(eventually([&] { return version_of("alpha") == "2.0.0"; }));
  EXPECT_EQ(publications_->count, 0);
}

TEST_F(ReloaderTest, PublishesABurstOfFilesAsOneCatalog) {
  constexpr int count = 20;
  fs::create_directories(root() / "tools");
  run();
  const auto before = catalog_.current()->generation();
  const auto burst = temporary_.path() / "burst";
  for (int i = 0; i < count; ++i) {
    const auto name = "t" + std::to_string(i);
    place_text(burst / (name + ".json"), exports(name));
    place(burst / (name + ".so"), fixture("unit_actor"));
  }
  fs::rename(burst, root() / "tools" / "burst");
  EXPECT_TRUE(eventually([&] { return catalog_.current()->plugins().size() == count; }));
  EXPECT_EQ(catalog_.current()->generation() - before, 1U);
  EXPECT_EQ(publications_->count, 1);
}

TEST_F(ReloaderTest, PublishesFilesThatComeOneAfterTheOtherAsOneCatalog) {
  constexpr int count = 10;
  options_.settle_time = 2s;  // far more than a busy machine lets pass between two drops
  options_.burst_patience = 1h;
  run();
  const auto before = catalog_.current()->generation();
  for (int i = 0; i < count; ++i) {
    const auto name = "t" + std::to_string(i);
    drop(name, exports(name));
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(eventually([&] { return catalog_.current()->plugins().size() == count; }));
  EXPECT_EQ(catalog_.current()->generation() - before, 1U);
}

TEST_F(ReloaderTest, WithdrawsFilesThatGoOneAfterTheOtherInOneCatalog) {
  constexpr int count = 10;
  options_.removal_patience = 2s;  // likewise
  options_.burst_patience = 1h;
  for (int i = 0; i < count; ++i)
    drop("t" + std::to_string(i), exports("t" + std::to_string(i)));
  run();
  const auto before = catalog_.current()->generation();
  for (int i = 0; i < count; ++i) {
    fs::remove(file("t" + std::to_string(i)));
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(eventually([&] { return catalog_.current()->plugins().empty(); }));
  EXPECT_EQ(catalog_.current()->generation() - before, 1U);
}

TEST_F(ReloaderTest, DoesNotWaitForAFileThatKeepsChanging) {
  options_.settle_time = 100ms;
  options_.burst_patience = 200ms;
  run();
  place_text(configuration("alpha"), exports("alpha"));
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (int i = 0; !over; ++i) {
      place_text(file("busy"), std::to_string(i));
      std::this_thread::sleep_for(10ms);
    }
  });
  fs::copy_file(fixture("unit_actor"), file("alpha"));
  EXPECT_TRUE(eventually([&] { return serves("alpha"); }));
  over = true;
  writer.join();
}

// Its file has changed since, but what lies there now was refused.
TEST_F(ReloaderTest, WithdrawsAVersionThatGivesUpAlsoWhenItsFileHasBeenBrokenMeanwhile) {
  if (test::isolation_under_test() != Isolation::worker) GTEST_SKIP() << "only a process can die and others live";
  drop("alpha", R"({"restarts":{"crashes":1},"tools":[{"name":"crashes","inputSchema":{"type":"object"}}]})");
  run();
  place_text(file("alpha"), "no library");
  ASSERT_TRUE(eventually_logged("plugin refused"));
  call("crashes");
  EXPECT_TRUE(eventually([&] { return !serves("crashes"); }));
}

TEST_F(ReloaderTest, StopsTwiceWithoutHarm) {
  run();
  EXPECT_TRUE(reloader_->stop(test::patience));
  EXPECT_TRUE(reloader_->stop(test::patience));
}

}  // namespace
}  // namespace mcph
