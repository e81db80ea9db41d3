#include "sources/folder/component_scan.hpp"

#include <algorithm>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

class ComponentScanTest : public ::testing::Test {
 protected:
  fs::path root() const { return temporary_.path(); }
  void write(const fs::path& name, std::string_view content = "x") const { temporary_.write(name, content); }
  ScanResult scan(const ScanLimits& limits = {}) const { return scan_components(root(), limits); }

  // The found plugins, below the root.
  std::vector<std::string> found(const ScanResult& result) const {
    std::vector<std::string> names;
    for (const auto& plugin : result.plugins)
      names.push_back(plugin.file.lexically_relative(root()).string());
    return names;
  }
  std::vector<std::string> found() const { return found(scan()); }

  PluginFile only_plugin() const {
    auto result = scan();
    EXPECT_EQ(result.plugins.size(), 1U);
    return result.plugins.empty() ? PluginFile{} : result.plugins.front();
  }

  test::TemporaryFolder temporary_;
};

TEST_F(ComponentScanTest, FindsPluginsInTheThreeFoldersAndBelowSortedByPath) {
  write("tools/b.so");
  write("tools/a/deep/er/z.so");
  write("tools/a.so");
  write("resources/docs.so");
  write("prompts/greeting.so");
  write("elsewhere/notes.txt");
  write("elsewhere/below/ignored.so");
  const auto result = scan();
  EXPECT_THAT(found(result), ElementsAre("prompts/greeting.so", "resources/docs.so", "tools/a/deep/er/z.so",
                                         "tools/a.so", "tools/b.so"));
  EXPECT_THAT(result.problems, IsEmpty());
}

TEST_F(ComponentScanTest, ReportsWhatWouldBeAPluginByAnotherName) {
  for (const auto* const name : {"tools/a.SO", "tools/b.so.1", "tools/c.so.1.2", "tools/libd.so.1", "tools/e.so.old"})
    write(name);
  fs::create_symlink("c.so.1.2", root() / "tools/c.so");
  const std::string reason = "it is not loaded, because its name does not end with .so; if it is a plugin, rename it";
  EXPECT_THAT(scan().problems, ElementsAre(ScanProblem{root() / "tools/a.SO", reason, false},
                                           ScanProblem{root() / "tools/b.so.1", reason, false}));
}

TEST_F(ComponentScanTest, ReportsPluginsOutsideOfTheThreeFolders) {
  write("a.so");
  write("tool/b.so");
  const auto result = scan();
  EXPECT_THAT(found(result), IsEmpty());
  EXPECT_THAT(
      result.problems,
      ElementsAre(
          ScanProblem{root() / "a.so",
                      "it is not loaded; move it into one of the folders tools, resources and prompts"},
          ScanProblem{root() / "tool",
                      "its plugins are not loaded; it is not one of the folders tools, resources and prompts"}));
}

TEST_F(ComponentScanTest, ReportsNothingOfWhatOtherFoldersAreUsedFor) {
  write("builds/a.so");
  write("builds/a_before.so");
  write("b.so");
  write("store/c.so");
  for (int i = 0; i < 20; ++i)
    write("data/" + std::to_string(i));
  fs::create_directory(root() / "resources");
  fs::create_symlink("../builds/a.so", root() / "resources/a.so");
  fs::create_symlink("../b.so", root() / "resources/b.so");
  fs::create_symlink("store", root() / "tools");
  fs::create_symlink("data", root() / "link");
  const auto result = scan({.entries = 10, .depth = 16});
  EXPECT_THAT(found(result), ElementsAre("resources/a.so", "resources/b.so", "tools/c.so"));
  EXPECT_THAT(result.problems, IsEmpty());
}

TEST_F(ComponentScanTest, IsFineWithoutAnyOfTheThreeFolders) {
  const auto result = scan();
  EXPECT_THAT(result.plugins, IsEmpty());
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_THAT(result.folders, ElementsAre(root(), root() / "prompts", root() / "resources", root() / "tools"));
}

TEST_F(ComponentScanTest, ReportsThatTheFolderOfAllIsMissing) {
  const auto path = root() / "absent";
  const auto result = scan_components(path);
  EXPECT_THAT(result.plugins, IsEmpty());
  EXPECT_THAT(result.problems,
              ElementsAre(ScanProblem{path, "the components folder is missing; nothing is served until it is there"}));
  EXPECT_THAT(result.folders, ElementsAre(path, path / "prompts", path / "resources", path / "tools"));
}

TEST_F(ComponentScanTest, TakesABundleAsOnePluginAndLooksForNoneInIt) {
  write("tools/notes.plugin/notes.so");
  write("tools/notes.plugin/lib/libdeep.so");
  write("tools/notes.json");
  write("tools/team/more.plugin/more.so");
  const auto result = scan();
  EXPECT_THAT(found(result), ElementsAre("tools/notes.plugin", "tools/team/more.plugin"));
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_FALSE(result.plugins[0].configuration.is_absent()) << "it lies beside the bundle";
  EXPECT_THAT(result.folders, Contains(root() / "tools/notes.plugin/lib"));
  EXPECT_EQ(plugin_file_at(root() / "tools/notes.plugin/"), result.plugins[0]);
}

TEST_F(ComponentScanTest, FollowsALinkToABundle) {
  write("releases/7/notes.plugin/notes.so");
  fs::create_directory(root() / "tools");
  fs::create_directory_symlink("../releases/7/notes.plugin", root() / "tools/notes.plugin");
  EXPECT_THAT(found(), ElementsAre("tools/notes.plugin"));
}

TEST_F(ComponentScanTest, SeesTheChangeOfAnyFileInABundle) {
  write("tools/notes.plugin/notes.so");
  write("tools/notes.plugin/data/words.txt", "one");
  const auto before = only_plugin();
  write("tools/notes.plugin/data/words.txt", "three");
  EXPECT_NE(only_plugin(), before);
}

TEST_F(ComponentScanTest, LoadsNoBundleBesideAFileOfTheSameName) {
  write("tools/notes.plugin/notes.so");
  write("tools/notes.so");
  const auto result = scan();
  EXPECT_THAT(found(result), ElementsAre("tools/notes.so"));
  EXPECT_THAT(result.problems,
              ElementsAre(ScanProblem{root() / "tools/notes.plugin",
                                      "it is not loaded, because notes.so beside it has the same name; remove that "
                                      "file, or rename one of the two"}));
}

TEST_F(ComponentScanTest, ReportsABundleOutsideOfTheThreeFolders) {
  write("notes.plugin/notes.so");
  EXPECT_THAT(scan().problems,
              ElementsAre(ScanProblem{root() / "notes.plugin",
                                      "it is not loaded; move it into one of the folders tools, resources and "
                                      "prompts"}));
}

TEST_F(ComponentScanTest, CountsTheFilesOfBundles) {
  write("tools/notes.plugin/notes.so");
  write("tools/notes.plugin/words.txt");
  write("tools/z.so");
  EXPECT_THAT(scan({.entries = 3, .depth = 16}).problems, ::testing::SizeIs(1));
  EXPECT_THAT(scan({.entries = 4, .depth = 16}).problems, IsEmpty());
}

TEST_F(ComponentScanTest, PassesOverHiddenBackupAndTemporaryNames) {
  write("tools/.hidden.so");
  write("tools/.git/objects.so");
  write("tools/plugin.so~");
  write("tools/plugin.so.tmp");
  write("tools/incoming.tmp/plugin.so");
  write("tools/old~/plugin.so");
  write("tools/libplugin.a");
  write("tools/notes.json");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(ComponentScanTest, GivesADifferentIdentityToAReplacedOrWrittenFile) {
  write("tools/a.so", "1");
  const auto first = only_plugin();
  EXPECT_EQ(only_plugin(), first);

  write("incoming", "1");
  fs::rename(root() / "incoming", root() / "tools/a.so");
  const auto replaced = only_plugin();
  EXPECT_NE(replaced.identity, first.identity);

  write("tools/a.so", "12");
  EXPECT_NE(only_plugin().identity, replaced.identity);
}

TEST_F(ComponentScanTest, SeesAWriteThatKeepsSizeAndModificationTime) {
  write("tools/a.so", "1");
  const auto first = only_plugin();
  const auto time = fs::last_write_time(root() / "tools/a.so");
  // The time of the last change is as fine as the kernel's clock tick on older kernels.
  while (only_plugin().identity.changed_nanoseconds == first.identity.changed_nanoseconds) {
    write("tools/a.so", "2");
    fs::last_write_time(root() / "tools/a.so", time);
  }
  EXPECT_EQ(only_plugin().identity.modified_nanoseconds, first.identity.modified_nanoseconds);
  EXPECT_NE(only_plugin().identity, first.identity);
}

TEST_F(ComponentScanTest, FindsTheConfigurationBesideAPlugin) {
  write("tools/a.so");
  EXPECT_TRUE(only_plugin().configuration.is_absent());
  write("tools/a.json", "{}");
  const auto first = only_plugin();
  ASSERT_TRUE(first.configuration.identity);
  write("tools/a.json", R"({"precision": 3})");
  EXPECT_NE(only_plugin().configuration, first.configuration);
  EXPECT_EQ(only_plugin().identity, first.identity);
}

TEST_F(ComponentScanTest, FindsTheConfigurationOfAPluginWithDotsInItsName) {
  write("tools/a.b.so");
  write("tools/a.json", "{}");
  EXPECT_TRUE(only_plugin().configuration.is_absent());
  write("tools/a.b.json", "{}");
  EXPECT_TRUE(only_plugin().configuration.identity);
}

TEST_F(ComponentScanTest, RemarksOnAConfigurationWhoseNameIsMistyped) {
  write("tools/clock.so");
  write("tools/words.plugin/words.so");
  write("tools/clokc.json", "{}");
  write("tools/words.so.json", "{}");
  const auto result = scan();
  EXPECT_THAT(result.problems, IsEmpty()) << "it is a guess";
  EXPECT_THAT(
      result.remarks,
      ElementsAre(
          Pair(root() / "tools/clock.so", ElementsAre("it has no configuration; should clokc.json be clock.json?")),
          Pair(root() / "tools/words.plugin", ElementsAre("it has no configuration; should words.so.json be "
                                                          "words.json?"))));
}

TEST_F(ComponentScanTest, RemarksOnNoOtherFilesOfJson) {
  write("tools/clock.so");
  write("tools/clock.json", "{}");
  write("tools/clocks.json", "{}");  // clock has its own
  write("tools/words.so");
  write("tools/countries.json", "{}");
  write("resources/word.json", "{}");
  write("tools/word.mcp.json", "{}");
  EXPECT_THAT(scan().remarks, IsEmpty());
}

TEST_F(ComponentScanTest, FindsNoConfigurationWhereItsNameWouldBeTooLong) {
  write("tools/" + std::string(252, 'n') + ".so");
  EXPECT_TRUE(only_plugin().configuration.is_absent());
}

TEST_F(ComponentScanTest, NeverTakesAConfigurationThatCannotBeUsedForNone) {
  write("tools/a.so");
  const auto configuration = root() / "tools/a.json";
  const auto unusable = [this] { return only_plugin().configuration.unusable; };

  fs::create_symlink("nowhere.json", configuration);
  EXPECT_EQ(unusable(), "it is a link to a file that does not exist; make that file, or remove the link");
  fs::remove(configuration);
  fs::create_symlink(std::string(300, 'n'), configuration);
  EXPECT_EQ(unusable(), "it cannot be read: File name too long");
  fs::remove(configuration);
  fs::create_symlink("a.json", configuration);
  EXPECT_EQ(unusable(), "it cannot be read: Too many levels of symbolic links");
  fs::remove(configuration);
  fs::create_directory(configuration);
  EXPECT_EQ(unusable(), "it is not a regular file");
}

TEST_F(ComponentScanTest, WatchesWhereTheTargetOfAConfigurationMayCome) {
  write("tools/a.so");
  fs::create_directory(root() / "settings");
  fs::create_symlink("../settings/a.json", root() / "tools/a.json");
  EXPECT_THAT(scan().folders, Contains(root() / "settings"));
}

// The list of a folder may be cut off between a plugin and its configuration.
TEST_F(ComponentScanTest, FindsTheConfigurationAlsoWhereThereIsTooMuchToLookAt) {
  for (int i = 0; i < 10; ++i) {
    write("tools/" + std::to_string(i) + ".so");
    write("tools/" + std::to_string(i) + ".json", "{}");
  }
  for (std::size_t entries = 1; entries < 20; ++entries) {
    for (const auto& plugin : scan({.entries = entries, .depth = 16}).plugins)
      EXPECT_TRUE(plugin.configuration.identity) << plugin.file << " of " << entries;
  }
}

TEST_F(ComponentScanTest, LooksAtASingleFileAsAScanDoes) {
  write("tools/a.so");
  write("tools/a.json", "{}");
  EXPECT_EQ(plugin_file_at(root() / "tools/a.so"), only_plugin());
}

TEST_F(ComponentScanTest, IdentifiesALinkedPluginByItsTarget) {
  write("versions/1/a.so");
  write("versions/2/a.so");
  fs::create_directory(root() / "tools");
  fs::create_symlink("../versions/1/a.so", root() / "tools/a.so");
  const auto first = only_plugin();
  EXPECT_EQ(first.file, root() / "tools/a.so");
  EXPECT_THAT(scan().folders, Contains(root() / "versions/1"));

  fs::remove(root() / "tools/a.so");
  fs::create_symlink("../versions/2/a.so", root() / "tools/a.so");
  EXPECT_NE(only_plugin().identity, first.identity);
  EXPECT_THAT(scan().folders, Contains(root() / "versions/2"));
}

TEST_F(ComponentScanTest, FindsALinkedConfiguration) {
  write("tools/a.so");
  write("settings/production.json", "{}");
  fs::create_symlink(root() / "settings/production.json", root() / "tools/a.json");
  EXPECT_TRUE(only_plugin().configuration.identity);
  EXPECT_THAT(scan().folders, Contains(root() / "settings"));
}

TEST_F(ComponentScanTest, ReportsADanglingLinkOnlyIfItShouldBeAPlugin) {
  fs::create_directory(root() / "tools");
  fs::create_symlink("../build/a.so", root() / "tools/a.so");
  fs::create_symlink("nowhere", root() / "tools/README");
  const auto result = scan();
  EXPECT_THAT(result.problems,
              ElementsAre(ScanProblem{root() / "tools/a.so", "it is a link to a file that does not exist"}));
  EXPECT_FALSE(result.may_be_hidden(root() / "tools/a.so"));
  EXPECT_THAT(result.folders, Contains(root() / "build")) << "where the target may come";
}

TEST_F(ComponentScanTest, ReportsADanglingLinkToABundle) {
  fs::create_directory(root() / "tools");
  fs::create_directory_symlink("../build/a.plugin", root() / "tools/a.plugin");
  const auto result = scan();
  EXPECT_THAT(result.problems,
              ElementsAre(ScanProblem{root() / "tools/a.plugin", "it is a link to a folder that does not exist"}));
  EXPECT_THAT(result.folders, Contains(root() / "build")) << "where the target may come";
}

TEST_F(ComponentScanTest, FollowsLinkedFolders) {
  write("shared/team/a.so");
  fs::create_directory(root() / "tools");
  fs::create_directory_symlink(root() / "shared/team", root() / "tools/team");
  fs::create_directory_symlink(root() / "shared", root() / "resources");
  const auto result = scan();
  EXPECT_THAT(found(result), ElementsAre("resources/team/a.so"));
  EXPECT_THAT(result.folders, Contains(root() / "resources/team"));
}

TEST_F(ComponentScanTest, FindsAFolderOnceAndUnderItsRealPath) {
  write("tools/z/a.so");
  fs::create_directory_symlink("z", root() / "tools/a");
  fs::create_directory_symlink("tools/z", root() / "prompts");
  EXPECT_THAT(found(), ElementsAre("tools/z/a.so"));
}

TEST_F(ComponentScanTest, EndsInSpiteOfFoldersThatContainThemselves) {
  write("tools/sub/a.so");
  fs::create_directory_symlink("..", root() / "tools/sub/up");
  fs::create_directory_symlink(".", root() / "tools/sub/here");
  fs::create_directory_symlink(root(), root() / "tools/sub/root");
  const auto result = scan();
  EXPECT_THAT(found(result), ElementsAre("tools/sub/a.so"));
  fs::create_symlink("loop.so", root() / "tools/loop.so");
  EXPECT_THAT(found(), ElementsAre("tools/sub/a.so"));
}

TEST_F(ComponentScanTest, DoesNotFollowALinkToAFolderThatTheComponentsLieIn) {
  write("components/tools/a.so");
  write("other.so");
  const auto components = root() / "components";
  fs::create_directory_symlink("/", components / "tools/everything");
  fs::create_directory_symlink("../..", components / "tools/up");
  fs::create_directory_symlink(root(), components / "prompts");
  const auto result = scan_components(components);
  ASSERT_EQ(result.plugins.size(), 1U);
  const auto* reason =
      "it is a link to a folder that the components folder lies in, and is not followed; link to the folder of the "
      "plugins alone";
  EXPECT_THAT(result.problems, ElementsAre(ScanProblem{components / "prompts", reason},
                                           ScanProblem{components / "tools/everything", reason},
                                           ScanProblem{components / "tools/up", reason}));
  EXPECT_THAT(result.folders,
              ElementsAre(components, components / "prompts", components / "resources", components / "tools"));
}

TEST_F(ComponentScanTest, ReportsAPluginThatIsNoRegularFile) {
  fs::create_directory(root() / "tools");
  ASSERT_EQ(::mkfifo((root() / "tools/pipe.so").c_str(), 0600), 0);
  const auto result = scan();
  EXPECT_THAT(found(result), IsEmpty());
  EXPECT_THAT(result.problems, ElementsAre(ScanProblem{root() / "tools/pipe.so", "it is not a regular file"}));
}

TEST_F(ComponentScanTest, LooksIntoAFolderThatIsNamedLikeAPlugin) {
  write("tools/folder.so/a.so");
  EXPECT_THAT(found(), ElementsAre("tools/folder.so/a.so"));
}

TEST_F(ComponentScanTest, ReportsAFileInThePlaceOfAFolder) {
  write("tools");
  EXPECT_THAT(scan().problems, ElementsAre(ScanProblem{root() / "tools", "it is not a folder"}));
  const auto result = scan_components(root() / "tools");
  EXPECT_THAT(result.problems, ElementsAre(ScanProblem{root() / "tools", "it is not a folder"}));
}

TEST_F(ComponentScanTest, ReportsFoldersThatAreTooDeep) {
  write("tools/1/2/a.so");
  write("tools/1/2/3/b.so");
  const auto result = scan({.entries = 100, .depth = 2});
  EXPECT_THAT(found(result), ElementsAre("tools/1/2/a.so"));
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems[0].path, root() / "tools/1/2/3");
  EXPECT_TRUE(result.may_be_hidden(root() / "tools/1/2/3/b.so"));
  EXPECT_FALSE(result.may_be_hidden(root() / "tools/1/2/c.so"));
}

TEST_F(ComponentScanTest, ReportsOnceThatThereIsTooMuchToLookAt) {
  for (int i = 0; i < 10; ++i)
    write("tools/" + std::to_string(i) + ".so");
  for (int i = 0; i < 10; ++i)
    write("resources/" + std::to_string(i) + ".so");
  const auto result = scan({.entries = 5, .depth = 16});
  EXPECT_EQ(result.plugins.size(), 5U);
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems[0].path, root());
  EXPECT_THAT(result.problems[0].reason, StartsWith("it holds more than 5 files and folders"));
  EXPECT_TRUE(result.may_be_hidden(root() / "tools/9.so"));
}

TEST_F(ComponentScanTest, KeepsInMindWhatAnUnreadableFolderMayHold) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can read every folder";
  write("tools/closed/a.so");
  write("tools/open/b.so");
  fs::permissions(root() / "tools/closed", fs::perms::none);
  const auto result = scan();
  fs::permissions(root() / "tools/closed", fs::perms::owner_all);
  EXPECT_THAT(found(result), ElementsAre("tools/open/b.so"));
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems[0].reason, "the folder cannot be read: Permission denied");
  EXPECT_TRUE(result.may_be_hidden(root() / "tools/closed/a.so"));
  EXPECT_FALSE(result.may_be_hidden(root() / "tools/open/a.so"));
}

TEST_F(ComponentScanTest, TakesARootThatEndsWithASlash) {
  write("tools/a.so");
  const auto result = scan_components(root() / "");
  EXPECT_THAT(found(result), ElementsAre("tools/a.so"));
  EXPECT_THAT(result.folders, Contains(root()));
  EXPECT_THAT(result.folders, Not(Contains(root() / "")));
}

TEST_F(ComponentScanTest, ListsEachFolderToWatchOnceAndSorted) {
  write("tools/a/x.so");
  write("tools/b/y.so");
  fs::create_symlink("a/x.so", root() / "tools/z.so");
  EXPECT_THAT(scan().folders, ElementsAre(root(), root() / "prompts", root() / "resources", root() / "tools",
                                          root() / "tools/a", root() / "tools/b"));
}

}  // namespace
}  // namespace mcph
