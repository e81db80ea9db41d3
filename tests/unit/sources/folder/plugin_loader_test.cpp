#include "sources/folder/plugin_loader.hpp"

#include <atomic>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/kept_memory.hpp"
#include "support/manual_executor.hpp"
#include "support/recording_call.hpp"
#include "support/temporary_folder.hpp"
#include "support/test_workers.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PluginLoaderTest : public ::testing::Test {
 protected:
  ~PluginLoaderTest() override { EXPECT_TRUE(reaper_.wait_until_empty(test::patience)); }

  // Lays a fixture down as tools/plugin.so, with a configuration beside it if one is given.
  fs::path drop(const std::string& fixture, const std::string& configuration = {}) const {
    return drop_bytes(bytes_of(fs::path(MCP_TEST_FIXTURES) / (fixture + ".so")), configuration);
  }
  fs::path drop_bytes(const std::string& bytes, const std::string& configuration = {}) const {
    if (!configuration.empty()) temporary_.write("tools/plugin.json", configuration);
    return temporary_.write("tools/plugin.so", bytes);
  }
  fs::path configuration() const { return temporary_.path() / "tools/plugin.json"; }
  static std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  Result<LoadedPlugin> try_to_load(const PluginFile& file) {
    auto configuration = loader_.configuration_of(file);
    if (configuration.has_error()) return configuration.error();
    return loader_.load(file, *std::move(configuration), {});
  }
  LoadedPlugin load(const fs::path& file) {
    auto loaded = try_to_load(plugin_file_at(file));
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return *std::move(loaded);
  }
  std::string refusal_of(const fs::path& file) { return refusal_of(plugin_file_at(file)); }
  std::string refusal_of(const PluginFile& file) {
    const auto loaded = try_to_load(file);
    return loaded ? "accepted" : loaded.error().message;
  }
  std::string refusal_of_description(const std::string& configuration) {
    return refusal_of(drop("unit_actor", configuration));
  }

  PluginLoader::Options loader_options() const {
    PluginLoader::Options options;
    options.data_root = temporary_.path() / "data";
    options.components = temporary_.path();
    options.isolation = test::isolation_under_test();
    return options;
  }

  const test::TemporaryFolder temporary_;
  StderrLog log_{Log::Level::off, StderrLog::Format::text};
  test::ManualExecutor executor_;
  test::TestWorkers workers_;
  Reaper reaper_{test::patience, log_};
  PluginLoader loader_{
      *PrivateFolder::create({temporary_.path()}), loader_options(), executor_, workers_.workers, reaper_, log_};
};

TEST_F(PluginLoaderTest, LoadsAPluginWithItsComponents) {
  const auto file = drop("unit_plain");
  const auto loaded = load(file);
  EXPECT_EQ(loaded.served.plugin->identity().name, "plain");
  EXPECT_EQ(loaded.served.plugin->identity().file, file);
  ASSERT_EQ(loaded.served.components->tools.size(), 1U);
  EXPECT_EQ(loaded.served.components->tools[0].name, "plain");
  EXPECT_THAT(loaded.remarks, ::testing::IsEmpty());
}

// Built with the headers of that version, which are kept: see tests/abi/kept.
TEST_F(PluginLoaderTest, ServesAPluginOfVersion10OfTheContract) {
  const auto plugin = load(drop_bytes(bytes_of(MCP_TEST_KEPT_1_0))).served.plugin;
  EXPECT_EQ(plugin->identity().about.id, "test.kept");
  ASSERT_TRUE(plugin->start());
  const auto call = std::make_shared<test::RecordingCall>("known");
  plugin->invoke(call);
  EXPECT_TRUE(test::eventually([&] {
    executor_.run_all();
    return call->ended.load();
  }));
  EXPECT_EQ(call->end(), test::result(R"({"context":{"protocolVersion":"2026-07-28"},)"
                                      R"("caller":{"principal":{"id":"ada"}},"started":true})"));
  EXPECT_EQ(refusal_of(drop_bytes(bytes_of(MCP_TEST_KEPT_1_0), R"({"undescribed":true})")),
            "it could not describe its components: it was told to fail");
}

TEST_F(PluginLoaderTest, GivesThePluginTheConfigurationBesideIt) {
  const auto loaded = load(drop("unit_actor", R"({"prompts":[{"name":"ask"}]})"));
  EXPECT_EQ(loaded.served.components->prompts.size(), 1U);
}

TEST_F(PluginLoaderTest, LoadsAPluginWhoseNameIsNoUtf8) {
  const auto file = temporary_.write("tools/caf\xE9.so", bytes_of(fs::path(MCP_TEST_FIXTURES) / "unit_actor.so"));
  temporary_.write("tools/caf\xE9.json", R"({"trace":"yes"})");
  EXPECT_EQ(load(file).served.plugin->identity().file, file);
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
  EXPECT_TRUE(fs::exists(temporary_.path() / "data/tools/caf\xE9/1.0.0.stopped"));
}

TEST_F(PluginLoaderTest, LoadsAPluginOfALongNameInAnyAlphabet) {
  std::string name = "a";
  for (int i = 0; i < 60; ++i)
    name += "\u00E9";
  EXPECT_EQ(
      refusal_of(temporary_.write("tools/" + name + ".so", bytes_of(fs::path(MCP_TEST_FIXTURES) / "unit_actor.so"))),
      "accepted");
}

TEST_F(PluginLoaderTest, LoadsABundleWithTheConfigurationBesideIt) {
  temporary_.write("tools/notes.plugin/notes.so", bytes_of(fs::path(MCP_TEST_FIXTURES) / "unit_actor.so"));
  temporary_.write("tools/notes.plugin/notes.json", "{}");
  temporary_.write("tools/notes.json", R"({"prompts":[{"name":"ask"}]})");
  const auto loaded = load(temporary_.path() / "tools/notes.plugin");
  EXPECT_EQ(loaded.served.components->prompts.size(), 1U);
  EXPECT_THAT(loaded.remarks, Contains("the notes.json in it is not its configuration, which lies beside the bundle"));
}

TEST_F(PluginLoaderTest, GivesABundleMoreTimeWhoseLibraryIsMissing) {
  temporary_.write("tools/notes.plugin/words.txt", "words");
  const auto refused = try_to_load(plugin_file_at(temporary_.path() / "tools/notes.plugin"));
  ASSERT_TRUE(refused.has_error());
  EXPECT_EQ(refused.error().code, ErrorCode::incomplete);
  EXPECT_THAT(refused.error().message, StartsWith("the library notes.so is not in it"));
}

TEST_F(PluginLoaderTest, KnowsALibraryThatWasNeverMeantAsAPlugin) {
  const auto lies = [&](const char* name, const char* fixture) {
    return temporary_.write(fs::path("tools") / name,
                            bytes_of(fs::path(MCP_TEST_FIXTURES) / (std::string(fixture) + ".so")));
  };
  const auto code = [&](const fs::path& file) { return try_to_load(plugin_file_at(file)).error().code; };
  EXPECT_EQ(code(lies("libdep.so", "unit_no_entry")), ErrorCode::other_kind);
  EXPECT_NE(code(lies("dep.so", "unit_no_entry")), ErrorCode::other_kind) << "its author forgot MCP_PLUGIN";
  EXPECT_EQ(refusal_of(lies("libplugin.so", "unit_plain")), "accepted");
  EXPECT_NE(code(temporary_.write("tools/libtext.so", "text")), ErrorCode::other_kind);
}

TEST_F(PluginLoaderTest, DoesNotStartWhatItLoads) {
  EXPECT_EQ(refusal_of(drop("unit_actor", R"({"start":"would fail"})")), "accepted");
}

TEST_F(PluginLoaderTest, GivesTwoLoadsOfOneFileTheSameDigest) {
  const auto file = drop("unit_plain");
  const auto first = load(file);
  const auto second = load(file);
  EXPECT_NE(first.served.plugin, second.served.plugin);
  EXPECT_EQ(first.served.plugin->identity().digest, second.served.plugin->identity().digest);
}

// Its configuration may be the other version's.
TEST_F(PluginLoaderTest, RefusesAFileThatHasChangedSinceItWasLookedAt) {
  const auto before = plugin_file_at(drop("unit_plain"));
  drop("unit_actor");
  EXPECT_EQ(refusal_of(before), "it has changed since it was looked at; it will be tried again");
  EXPECT_EQ(refusal_of(before.file), "accepted");
}

TEST_F(PluginLoaderTest, RefusesAPluginWhoseConfigurationIsADanglingLink) {
  const auto file = drop("unit_plain");
  fs::create_symlink("nowhere.json", configuration());
  EXPECT_EQ(refusal_of(file), "its configuration " + configuration().string() +
                                  " cannot be used: it is a link to a file that does not exist; make that file, or "
                                  "remove the link");
}

TEST_F(PluginLoaderTest, RefusesAFileThatIsNotThere) {
  EXPECT_THAT(refusal_of(temporary_.path() / "tools" / "absent.so"), HasSubstr("No such file or directory"));
}

TEST_F(PluginLoaderTest, RefusesAnEmptyFile) {
  EXPECT_THAT(refusal_of(drop_bytes("")), HasSubstr("empty"));
}

TEST_F(PluginLoaderTest, RefusesATextFile) {
  EXPECT_THAT(refusal_of(drop_bytes("#!/bin/sh\necho This is no library, although it is called one.\n")),
              HasSubstr("not a shared library"));
}

TEST_F(PluginLoaderTest, RefusesAnExecutable) {
  EXPECT_THAT(refusal_of(drop_bytes(bytes_of("/bin/sh"))), HasSubstr("program"));
}

TEST_F(PluginLoaderTest, RefusesATruncatedLibrary) {
  const auto bytes = bytes_of(fs::path(MCP_TEST_FIXTURES) / "unit_actor.so");
  EXPECT_THAT(refusal_of(drop_bytes(bytes.substr(0, bytes.size() / 2))), HasSubstr("truncated"));
}

TEST_F(PluginLoaderTest, RefusesALibraryWithoutTheEntrySymbol) {
  EXPECT_THAT(refusal_of(drop("unit_no_entry")), HasSubstr("mcp_plugin_entry_v1"));
}

TEST_F(PluginLoaderTest, RefusesAPluginOfALaterContract) {
  EXPECT_THAT(refusal_of(drop("unit_newer_contract")),
              AllOf(HasSubstr("contract version 2"), HasSubstr("contract too new")));
}

// Wherever it was to be served.
TEST_F(PluginLoaderTest, RefusesALibraryThatEndsTheProcessThatLoadsIt) {
  EXPECT_EQ(refusal_of(drop("unit_fatal_constructor")),
            "its process was killed by SIGABRT (Aborted) while it was loading the plugin and setting it up");
}

TEST_F(PluginLoaderTest, RefusesALibraryWhoseDependencyIsMissing) {
  EXPECT_THAT(refusal_of(drop("unit_missing_dependency")), StartsWith("it needs the library libunit_absent.so"));
}

TEST_F(PluginLoaderTest, RefusesADescriptionThatIsNoJson) {
  EXPECT_THAT(refusal_of_description(R"({"describe":"words"})"), StartsWith("its description is not valid JSON: "));
}

TEST_F(PluginLoaderTest, RefusesADescriptionByComponentAndField) {
  EXPECT_EQ(refusal_of_description(R"({"tools":[{"name":"two words"}]})"),
            "tools[0]: name \"two words\" is not 1 to 128 characters of A-Za-z0-9_.-");
  EXPECT_EQ(refusal_of_description(R"({"tools":[{"name":"a"}]})"), "tools[0] \"a\": inputSchema is missing");
  EXPECT_THAT(refusal_of_description(
                  R"({"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"minimum":"1"}}}}]})"),
              StartsWith("tools[0] \"a\": inputSchema is invalid: /properties/x/minimum: "));
}

TEST_F(PluginLoaderTest, RefusesAPluginWithTheReasonOfItsCreate) {
  EXPECT_EQ(refusal_of_description(R"({"create":"no license"})"), "it could not be set up: no license");
}

TEST_F(PluginLoaderTest, RefusesAPluginWithTheReasonOfItsDescribe) {
  EXPECT_EQ(refusal_of_description(R"({"undescribed":"no index"})"), "it could not describe its components: no index");
}

// Also where its library is never unloaded: it is tried in a process that is ended.
TEST_F(PluginLoaderTest, ExpectsTheFailureOfACreateToPass) {
  constexpr auto no_license = R"({"create":"no license"})";
  for (const auto* library : {"unit_actor", "unit_actor_resident"})
    EXPECT_TRUE(try_to_load(plugin_file_at(drop(library, no_license))).error().may_pass());
}

constexpr auto in_process = R"({"isolation":"in-process"})";
constexpr auto resident = R"({"isolation":"in-process-resident"})";

TEST_F(PluginLoaderTest, SaysWhetherALibraryStaysMapped) {
  const test::KeptMemory kept;
  EXPECT_FALSE(load(drop("unit_actor", resident)).stays_mapped);
  const auto loaded = load(drop("unit_actor_resident", resident));
  EXPECT_TRUE(loaded.stays_mapped);
  EXPECT_THAT(loaded.remarks, ElementsAre("it says MCP_PLUGIN_NEVER_UNLOAD, so it is never unloaded"));
}

// Whether the file says it, before anything of it is mapped, or its table: then it stays, because its code has run.
TEST_F(PluginLoaderTest, RefusesInTheHostsProcessWhatCanNeverBeUnloaded) {
  const test::KeptMemory kept;
  const auto is_mapped = [this] {
    EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
    return bytes_of("/proc/self/maps").find(temporary_.path().string()) != std::string::npos;
  };
  constexpr auto what_to_do =
      "set \"isolation\" to \"worker\" in its configuration, or to \"in-process-resident\" if each version of it may "
      "stay in memory until the host ends";
  EXPECT_EQ(refusal_of(drop("unit_actor_nodelete", in_process)),
            std::string("it is to run in the host's own process, and it was linked with -z nodelete, so it is never "
                        "unloaded: ") +
                what_to_do);
  EXPECT_FALSE(is_mapped());
  EXPECT_EQ(refusal_of(drop("unit_actor_resident", in_process)),
            std::string("it is to run in the host's own process, and it says MCP_PLUGIN_NEVER_UNLOAD, so it is never "
                        "unloaded: ") +
                what_to_do);
  EXPECT_TRUE(is_mapped());
}

TEST_F(PluginLoaderTest, RunsWhatCanNeverBeUnloadedWhereItsConfigurationAllowsIt) {
  const test::KeptMemory kept;
  for (const auto* library : {"unit_actor_nodelete", "unit_actor_resident"}) {
    for (const auto* allowed : {resident, R"({"isolation":"worker"})"})
      EXPECT_EQ(refusal_of(drop(library, allowed)), "accepted");
  }
}

TEST_F(PluginLoaderTest, RefusesAConfigurationThatIsNoJson) {
  EXPECT_THAT(refusal_of(drop("unit_plain", "{\"root\": ")),
              StartsWith("its configuration " + (temporary_.path() / "tools/plugin.json").string() +
                         " is not valid JSON at line 1, "));
}

TEST_F(PluginLoaderTest, RefusesAConfigurationThatIsNoObject) {
  EXPECT_EQ(refusal_of(drop("unit_plain", "[1]")),
            "its configuration " + (temporary_.path() / "tools/plugin.json").string() + " is not a JSON object");
}

TEST_F(PluginLoaderTest, RefusesAConfigurationThatCannotBeRead) {
  const auto file = drop("unit_plain");
  fs::create_directory(configuration());
  EXPECT_EQ(refusal_of(file),
            "its configuration " + configuration().string() + " cannot be used: it is not a regular file");
}

TEST_F(PluginLoaderTest, DoesNotWaitForTheWriterOfAConfigurationThatIsAPipe) {
  const auto file = drop("unit_plain");
  ASSERT_EQ(::mkfifo(configuration().c_str(), 0600), 0);
  EXPECT_EQ(refusal_of(file),
            "its configuration " + configuration().string() + " cannot be used: it is not a regular file");
}

TEST_F(PluginLoaderTest, RefusesAConfigurationThatIsADevice) {
  const auto file = drop("unit_plain");
  fs::create_symlink("/dev/null", configuration());
  EXPECT_EQ(refusal_of(file),
            "its configuration " + configuration().string() + " cannot be used: it is not a regular file");
}

TEST_F(PluginLoaderTest, TakesAConfigurationOfAMebibyteAndRefusesALargerOne) {
  const auto configuration_of_size = [](std::size_t size) { return "{}" + std::string(size - 2, ' '); };
  EXPECT_EQ(refusal_of(drop("unit_plain", configuration_of_size(1'048'576))), "accepted");
  EXPECT_EQ(refusal_of(drop("unit_plain", configuration_of_size(1'048'577))),
            "its configuration " + configuration().string() +
                " cannot be used: it has more than the 1048576 bytes that it may have");
}

TEST_F(PluginLoaderTest, LeavesNothingOfWhatItRefused) {
  refusal_of_description(R"({"describe":"words"})");
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
  std::ifstream maps("/proc/self/maps");
  const std::string text((std::istreambuf_iterator<char>(maps)), {});
  EXPECT_EQ(text.find(temporary_.path().string()), std::string::npos);
}

TEST_F(PluginLoaderTest, GivesThePluginADataDirectoryByItsPlace) {
  load(drop("unit_actor", R"({"trace":"yes"})"));
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
  EXPECT_TRUE(fs::exists(temporary_.path() / "data/tools/plugin/1.0.0.stopped"));
}

fs::path data_path(const fs::path& file, const fs::path& components = "/components", const fs::path& root = "/data") {
  return data_directory(file, components, root).path();
}

TEST(DataDirectory, IsThePluginsOwn) {
  EXPECT_EQ(data_path("/components/tools/docs.so"), "/data/tools/docs");
  EXPECT_EQ(data_path("/components/resources/docs.so"), "/data/resources/docs");
  EXPECT_EQ(data_path("/components/tools/a.b.so", "/components/"), "/data/tools/a.b");
}

// Who may write a folder may replace what lies in it.
TEST(DataDirectory, IsNeverWithinThatOfAnotherPlugin) {
  EXPECT_EQ(data_path("/components/tools/team.so"), "/data/tools/team");
  EXPECT_EQ(data_path("/components/tools/team/docs.so"), "/data/tools/team%2Fdocs");
  EXPECT_EQ(data_path("/components/tools/team/a/docs.so"), "/data/tools/team%2Fa%2Fdocs");
}

TEST(DataDirectory, IsNotThatOfAPluginWhoseNameIsWrittenLikeAPath) {
  EXPECT_EQ(data_path("/components/tools/team%2Fdocs.so"), "/data/tools/team%252Fdocs");
  EXPECT_EQ(data_path("/components/tools/team%/docs.so"), "/data/tools/team%25%2Fdocs");
}

TEST(DataDirectory, LiesApartForAPluginThatLiesElsewhere) {
  EXPECT_EQ(data_path("/build/docs.so"), "/data/elsewhere/docs");
  EXPECT_EQ(data_path("/build/tools.so"), "/data/elsewhere/tools");
  EXPECT_EQ(data_path("/components/tools.so"), "/data/elsewhere/tools");
  EXPECT_EQ(data_path("/components-2/tools/docs.so"), "/data/elsewhere/docs");
}

TEST(DataDirectory, IsAbsoluteWhateverItIsMadeOf) {
  const auto here = fs::current_path();
  EXPECT_EQ(data_path("components/tools/docs.so", "./components", "data"), here / "data/tools/docs");
  EXPECT_EQ(data_path(here / "components/tools/docs.so", "components", "./data"), here / "data/tools/docs");
  EXPECT_EQ(data_path("docs.so", "components", "data"), here / "data/elsewhere/docs");
}

TEST(ConfigurationFile, HasTheNameOfThePlugin) {
  EXPECT_EQ(configuration_file("/components/tools/calculator.so"), "/components/tools/calculator.json");
  EXPECT_EQ(configuration_file("/components/tools/a.b.so"), "/components/tools/a.b.json");
}

}  // namespace
}  // namespace mcph
