#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "files/setup.hpp"
#include "support/temporary_folder.hpp"

namespace plugins::files {
namespace {

namespace fs = std::filesystem;
using mcp::Json;
using testing::ElementsAre;

class FilesWriting : public testing::Test {
 protected:
  FilesWriting() {
    folder_.write("notes/a.txt", "a");
    folder_.write("docs/b.txt", "b");
    folder_.write("outside/secret.txt", "secret");
  }

  std::string place(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_.path() / name).rdbuf();
    return text.str();
  }
  mcp::testing::Outcome write(const std::string& path, const std::string& text, bool create_folders = false) {
    return harness_.call_tool("write_file", {{"path", path}, {"content", text}, {"create_folders", create_folders}});
  }
  mcp::testing::Outcome append(const std::string& path, const std::string& text) {
    return harness_.call_tool("append_file", {{"path", path}, {"content", text}});
  }

  mcph::test::TemporaryFolder folder_;
  mcp::testing::Harness harness_{setup,
                                 {{"roots",
                                   {{{"name", "notes"}, {"path", place("notes")}, {"writable", true}},
                                    {{"name", "docs"}, {"path", place("docs")}}}},
                                  {"maxFileBytes", 100},
                                  {"watch", false}}};
};

TEST_F(FilesWriting, WritesAndReplacesAFile) {
  EXPECT_EQ(write("notes/new.txt", "one").text(), "Wrote 3 bytes to " + place("notes/new.txt"));
  EXPECT_EQ(content("notes/new.txt"), "one");
  EXPECT_TRUE(write(place("notes/new.txt"), "two").ok());
  EXPECT_EQ(content("notes/new.txt"), "two");
}

TEST_F(FilesWriting, AppendsToAFile) {
  EXPECT_EQ(append("notes/a.txt", "b").text(), "Appended 1 bytes to " + place("notes/a.txt"));
  EXPECT_EQ(content("notes/a.txt"), "ab");
  EXPECT_TRUE(append("notes/new.txt", "x").ok());
  EXPECT_EQ(content("notes/new.txt"), "x");
}

TEST_F(FilesWriting, WritesBehindWhatIsThere) {
  const auto outcome = harness_.call_tool("write_file", {{"path", "notes/a.txt"}, {"content", "b"}, {"append", true}});
  EXPECT_EQ(outcome.text(), "Appended 1 bytes to " + place("notes/a.txt"));
  EXPECT_EQ(content("notes/a.txt"), "ab");
  EXPECT_TRUE(
      harness_
          .call_tool("write_file",
                     {{"path", "notes/new/b.txt"}, {"content", "c"}, {"append", true}, {"create_folders", true}})
          .ok());
  EXPECT_EQ(content("notes/new/b.txt"), "c");
}

TEST_F(FilesWriting, TellsSubscribersOfTheFile) {
  write("notes/a b.txt", "x");
  append("notes/a.txt", "x");
  EXPECT_THAT(harness_.updated_resources(),
              ElementsAre("file://" + place("notes") + "/a%20b.txt", "file://" + place("notes/a.txt")));
}

TEST_F(FilesWriting, RefusesARootThatIsNotWritable) {
  EXPECT_EQ(write("docs/b.txt", "x").text(), "\"docs/b.txt\" is below the root \"docs\", which is read-only");
  EXPECT_FALSE(append("docs/b.txt", "x").ok());
  EXPECT_FALSE(append("docs/new.txt", "x").ok());
  EXPECT_EQ(content("docs/b.txt"), "b");
  EXPECT_FALSE(fs::exists(place("docs/new.txt")));
}

TEST_F(FilesWriting, RefusesToReachAReadOnlyRootThroughAWritableOne) {
  EXPECT_FALSE(write("notes/../docs/b.txt", "x").ok());
  fs::create_symlink("../docs", folder_.path() / "notes/link");
  EXPECT_FALSE(write("notes/link/b.txt", "x").ok());
  EXPECT_EQ(content("docs/b.txt"), "b");
}

TEST_F(FilesWriting, RefusesSymlinkThatLeavesTheRoot) {
  fs::create_symlink(folder_.path() / "outside", folder_.path() / "notes/link");
  fs::create_symlink(folder_.path() / "outside/secret.txt", folder_.path() / "notes/secret");
  EXPECT_FALSE(write("notes/link/secret.txt", "x").ok());
  EXPECT_FALSE(write("notes/link/new/secret.txt", "x", true).ok());
  EXPECT_FALSE(write("notes/secret", "x").ok());
  EXPECT_FALSE(append("notes/secret", "x").ok());
  EXPECT_EQ(content("outside/secret.txt"), "secret");
  EXPECT_FALSE(fs::exists(place("outside/new")));
}

TEST_F(FilesWriting, MakesFoldersOnlyWhenAskedTo) {
  EXPECT_EQ(write("notes/x/y/z.txt", "z").text(),
            "\"notes/x/y/z.txt\" is in a folder that does not exist: create_folders makes it");
  EXPECT_TRUE(write("notes/x/y/z.txt", "z", true).ok());
  EXPECT_EQ(content("notes/x/y/z.txt"), "z");
}

TEST_F(FilesWriting, BoundsTheSizeOfAFile) {
  EXPECT_EQ(write("notes/a.txt", std::string(101, 'x')).text(),
            "\"notes/a.txt\" would have 101 bytes; the limit is 100");
  EXPECT_EQ(append("notes/a.txt", std::string(100, 'x')).text(),
            "\"notes/a.txt\" would grow to 101 bytes; the limit is 100");
  EXPECT_EQ(content("notes/a.txt"), "a");
}

TEST_F(FilesWriting, RefusesTheRootItself) {
  EXPECT_FALSE(write("notes", "x").ok());
  EXPECT_FALSE(write("notes", "x", true).ok());
  EXPECT_FALSE(append("notes/", "x").ok());
}

// "outer" may be written, "private" in it may not, and "drafts" in that may again.
class FilesNestedRoots : public testing::Test {
 protected:
  FilesNestedRoots() {
    folder_.write("outer/a.txt", "a");
    folder_.write("outer/private/f.txt", "secret");
    folder_.write("outer/private/drafts/d.txt", "d");
  }

  std::string place(const std::string& name) const { return (folder_.path() / name).string(); }
  mcp::testing::Outcome call(const std::string& tool, const std::string& path) {
    return harness_.call_tool(tool, {{"path", path}, {"content", "x"}});
  }
  std::string content(const std::string& path) { return harness_.call_tool("read_file", {{"path", path}}).text(); }

  mcph::test::TemporaryFolder folder_;
  mcp::testing::Harness harness_{setup,
                                 {{"roots",
                                   {{{"name", "outer"}, {"path", place("outer")}, {"writable", true}},
                                    {{"name", "inner"}, {"path", place("outer/private")}},
                                    {{"name", "drafts"}, {"path", place("outer/private/drafts")}, {"writable", true}},
                                    {{"name", "frozen"}, {"path", place("outer/private/drafts")}}}}}};
};

TEST_F(FilesNestedRoots, ReadOnlyRootInAWritableOneIsReadOnlyUnderEveryName) {
  for (const std::string path : {"outer/private/f.txt", "outer/private/new.txt", "outer/./x/../private/f.txt",
                                 "outer//private/f.txt", "outer/private", "inner/f.txt"}) {
    EXPECT_EQ(call("write_file", path).text(), '"' + path + "\" is below the root \"inner\", which is read-only");
    EXPECT_EQ(call("append_file", path).text(), '"' + path + "\" is below the root \"inner\", which is read-only");
  }
  EXPECT_FALSE(call("write_file", place("outer/private/f.txt")).ok());
  EXPECT_EQ(content("outer/private/f.txt"), "secret");
  EXPECT_FALSE(fs::exists(place("outer/private/new.txt")));
}

TEST_F(FilesNestedRoots, WritableRootInAReadOnlyOneIsWritableUnderEveryName) {
  for (const std::string path : {"outer/private/drafts/d.txt", "inner/drafts/d.txt", "drafts/d.txt"})
    EXPECT_EQ(call("write_file", path).text(), "Wrote 1 bytes to " + place("outer/private/drafts/d.txt"));
  EXPECT_TRUE(call("write_file", "outer/a.txt").ok());
  EXPECT_TRUE(call("write_file", "outer/private.txt").ok());
}

TEST_F(FilesNestedRoots, OfTwoRootsAtOnePlaceTheNamedOneCounts) {
  EXPECT_EQ(call("write_file", "frozen/d.txt").text(),
            "\"frozen/d.txt\" is below the root \"frozen\", which is read-only");
}

TEST_F(FilesNestedRoots, NameStillLeadsNowhereAboveItsRoot) {
  EXPECT_EQ(call("write_file", "inner/../a.txt").text(), "\"inner/../a.txt\" leads out of its root through \"..\"");
}

}  // namespace
}  // namespace plugins::files
