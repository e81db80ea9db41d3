#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "files/file_content_type.hpp"
#include "files/glob.hpp"
#include "files/setup.hpp"
#include "support/eventually.hpp"
#include "support/temporary_folder.hpp"

namespace plugins::files {
namespace {

namespace fs = std::filesystem;
using mcp::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Two roots, "docs" and "inner", which lies in it, beside a folder with a secret.
class Files : public testing::Test {
 protected:
  Files() {
    folder_.write("outside/secret.txt", "secret");
    folder_.write("docs/guide.md", "# Guide\nline two\nline three\n");
    folder_.write("docs/inner/note.txt", "note");
  }

  std::string docs() const { return (folder_.path() / "docs").string(); }
  std::string text_of(const std::string& path) { return harness_.call_tool("read_file", {{"path", path}}).text(); }
  bool can_read(const std::string& path) { return harness_.call_tool("read_file", {{"path", path}}).ok(); }
  mcp::testing::Outcome read_resource(const std::string& path) {
    return harness_.read_template("file:///{+path}", {{"path", path}});
  }
  std::vector<std::string> listed(const Json& arguments) {
    std::vector<std::string> paths;
    const auto outcome = harness_.call_tool("list_files", arguments);
    EXPECT_TRUE(outcome.ok()) << outcome.text();
    const Json listing = outcome.structured();
    for (const Json& entry : listing.at("entries"))
      paths.push_back(fs::path(entry["path"].get<std::string>()).lexically_relative(folder_.path()).string());
    return paths;
  }

  mcph::test::TemporaryFolder folder_;
  mcp::testing::Harness harness_{
      setup,
      {{"roots", {{{"name", "docs"}, {"path", docs()}}, {{"name", "inner"}, {"path", docs() + "/inner"}}}},
       {"maxFileBytes", 1000}}};
};

TEST_F(Files, TellsSubscribersOfWhatOthersWrite) {
  const std::string uri = "file://" + docs() + "/inner/note.txt";
  EXPECT_TRUE(mcph::test::eventually([&] {
    folder_.write("docs/inner/note.txt", "changed");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto updated = harness_.updated_resources();
    return std::find(updated.begin(), updated.end(), uri) != updated.end();
  }));
}

TEST_F(Files, OffersPathsWhileTheyAreTyped) {
  const auto values = [this](const std::string& typed) {
    return harness_.complete_template("file:///{+path}", "path", typed).values();
  };
  const std::string root = docs().substr(1);
  EXPECT_THAT(values(""), ElementsAre(root + '/', root + "/inner/"));
  EXPECT_THAT(values(root.substr(0, root.size() - 2)), ElementsAre(root + '/', root + "/inner/"));
  EXPECT_THAT(values(root + "/g"), ElementsAre(root + "/guide.md"));
  EXPECT_THAT(values(root + "/inner/"), ElementsAre(root + "/inner/note.txt"));
  EXPECT_THAT(values(root + "/none/"), IsEmpty());
  EXPECT_THAT(values("etc/"), IsEmpty());
  EXPECT_THAT(values(root + "/../outside/"), IsEmpty());
}

TEST_F(Files, ReadsAFileByRootAndByAbsolutePath) {
  EXPECT_EQ(text_of("docs/guide.md"), "# Guide\nline two\nline three\n");
  EXPECT_EQ(text_of(docs() + "/guide.md"), "# Guide\nline two\nline three\n");
  EXPECT_EQ(text_of("inner/note.txt"), "note");
  EXPECT_EQ(text_of("docs/inner/../guide.md"), "# Guide\nline two\nline three\n");
}

TEST_F(Files, ReadsSomeLines) {
  const auto lines = [&](const Json& range) {
    Json arguments{{"path", "docs/guide.md"}};
    arguments.update(range);
    return harness_.call_tool("read_file", arguments).text();
  };
  EXPECT_EQ(lines({{"first_line", 2}}), "line two\nline three\n");
  EXPECT_EQ(lines({{"line_count", 1}}), "# Guide\n");
  EXPECT_EQ(lines({{"first_line", 2}, {"line_count", 1}}), "line two\n");
  EXPECT_EQ(lines({{"first_line", 3}}), "line three\n");
}

TEST_F(Files, SaysHowManyLinesThereAreWhereItIsAskedForALaterOne) {
  const auto lines = [this](const std::string& content, int first) {
    folder_.write("docs/lines.txt", content);
    return harness_.call_tool("read_file", {{"path", "docs/lines.txt"}, {"first_line", first}}).text();
  };
  EXPECT_EQ(lines("one\ntwo\n", 50), "\"docs/lines.txt\" has no line 50; its lines are 2 in all");
  EXPECT_EQ(lines("one\ntwo\n", 3), "\"docs/lines.txt\" has no line 3; its lines are 2 in all");
  EXPECT_EQ(lines("one\ntwo", 3), "\"docs/lines.txt\" has no line 3; its lines are 2 in all");
  EXPECT_EQ(lines("one\ntwo", 2), "two");
  EXPECT_EQ(lines("", 2), "\"docs/lines.txt\" has no line 2; its lines are 0 in all");
  EXPECT_EQ(lines("", 1), "");
}

TEST_F(Files, ReadsATextWithoutItsByteOrderMark) {
  folder_.write("docs/marked.txt", "\xEF\xBB\xBFhi");
  EXPECT_EQ(text_of("docs/marked.txt"), "hi");
  EXPECT_EQ(harness_.call_tool("read_file", {{"path", "docs/marked.txt"}, {"encoding", "utf-8"}}).text(), "hi");
}

TEST_F(Files, ReadsTextInOtherEncodings) {
  folder_.write("docs/latin.txt", "Z\xFCrich!");
  folder_.write("docs/wide.txt", std::string("\xFF\xFEh\0i\0\x3D\xD8\x4B\xDC", 10));
  const auto read = [this](const std::string& path, const std::string& encoding) {
    return harness_.call_tool("read_file", {{"path", path}, {"encoding", encoding}});
  };
  EXPECT_EQ(read("docs/latin.txt", "latin-1").text(), "Z\u00FCrich!");
  EXPECT_EQ(read("docs/wide.txt", "utf-16").text(), "hi\U0001F44B");
  EXPECT_EQ(read("docs/guide.md", "utf-8").text(), text_of("docs/guide.md"));
  EXPECT_EQ(read("docs/latin.txt", "utf-8").text(), "\"docs/latin.txt\" is not text in this encoding");
  EXPECT_FALSE(read("docs/latin.txt", "utf-16").ok());
  EXPECT_EQ(read("docs/latin.txt", "base64").json["content"][0]["resource"]["blob"], "WvxyaWNoIQ==");
  EXPECT_FALSE(read("docs/latin.txt", "ebcdic").ok());
}

TEST_F(Files, ReadsNoMoreThanItIsAskedFor) {
  const auto outcome = harness_.call_tool("read_file", {{"path", "docs/guide.md"}, {"max_size", 10}});
  EXPECT_EQ(outcome.text(), "\"docs/guide.md\" has 28 bytes; the limit is 10");
  EXPECT_TRUE(harness_.call_tool("read_file", {{"path", "docs/guide.md"}, {"max_size", 1000000}}).ok());
}

TEST_F(Files, ListsWithoutHiddenEntriesAndWithAllLevels) {
  folder_.write("docs/.git/config", "x");
  folder_.write("docs/inner/.cache", "x");
  EXPECT_THAT(listed({{"path", "docs"}}), ElementsAre("docs/.git", "docs/guide.md", "docs/inner"));
  EXPECT_THAT(listed({{"path", "docs"}, {"show_hidden", false}, {"recursive", true}}),
              ElementsAre("docs/guide.md", "docs/inner", "docs/inner/note.txt"));
  EXPECT_THAT(listed({{"path", docs() + "/.git"}, {"show_hidden", false}}), ElementsAre("docs/.git/config"));
}

TEST_F(Files, RefusesDotDotThatLeavesTheRoot) {
  EXPECT_EQ(text_of("docs/../outside/secret.txt"),
            "\"docs/../outside/secret.txt\" leads out of its root through \"..\"");
  EXPECT_FALSE(can_read("docs/inner/../../../outside/secret.txt"));
  EXPECT_FALSE(can_read(docs() + "/../outside/secret.txt"));
  EXPECT_FALSE(can_read("../outside/secret.txt"));
  EXPECT_FALSE(can_read("docs/.."));
}

TEST_F(Files, RefusesSymlinkThatLeavesTheRoot) {
  fs::create_symlink(folder_.path() / "outside", folder_.path() / "docs/link");
  fs::create_symlink(folder_.path() / "outside/secret.txt", folder_.path() / "docs/secret");
  EXPECT_EQ(text_of("docs/secret"),
            "\"docs/secret\" goes through a symbolic link that is absolute or leads out of its root");
  EXPECT_FALSE(can_read("docs/link/secret.txt"));
  EXPECT_FALSE(harness_.call_tool("list_files", {{"path", "docs/link"}}).ok());
}

TEST_F(Files, RefusesPathsOutsideOfTheRoots) {
  EXPECT_EQ(text_of("/etc/passwd"), "\"/etc/passwd\" is outside of the folders that may be used: docs (" + docs() +
                                        "), inner (" + docs() + "/inner)");
  EXPECT_FALSE(can_read("/"));
  EXPECT_FALSE(can_read(""));
  EXPECT_FALSE(can_read("guide.md"));
  EXPECT_FALSE(can_read("~/guide.md"));
}

TEST_F(Files, RefusesAFolderWhoseNameBeginsLikeARoot) {
  folder_.write("docs-private/secret.txt", "secret");
  EXPECT_FALSE(can_read(docs() + "-private/secret.txt"));
  EXPECT_FALSE(can_read("docs-private/secret.txt"));
}

TEST_F(Files, RefusesNulInAPath) {
  EXPECT_FALSE(can_read(std::string("docs/guide.md\0.txt", 18)));
  EXPECT_EQ(read_resource(docs().substr(1) + std::string("/guide.md\0", 10)).error_code(), -32602);
}

TEST_F(Files, BoundsTheSizeOfAFile) {
  folder_.write("docs/large.txt", std::string(1001, 'x'));
  EXPECT_EQ(text_of("docs/large.txt"), "\"docs/large.txt\" has 1001 bytes; the limit is 1000");
}

TEST_F(Files, NamesThePathAsGivenWhenItDoesNotExist) {
  EXPECT_EQ(text_of("docs/missing.md"), "\"docs/missing.md\" does not exist");
  EXPECT_EQ(text_of("docs"), "\"docs\" is a folder, not a file");
}

TEST_F(Files, AnswersPicturesAndBytesAsWhatTheyAre) {
  const std::string png("\x89PNG\r\n", 6);
  folder_.write("docs/a.png", png);
  folder_.write("docs/a.bin", std::string("\xFF\x00", 2));
  const auto image = harness_.call_tool("read_file", {{"path", "docs/a.png"}}).json["content"][0];
  EXPECT_EQ(image, (Json{{"type", "image"}, {"mimeType", "image/png"}, {"data", "iVBORw0K"}}));
  const auto bytes = harness_.call_tool("read_file", {{"path", "docs/a.bin"}}).json["content"][0];
  EXPECT_EQ(bytes["type"], "resource");
  EXPECT_EQ(bytes["resource"],
            (Json{{"uri", "file://" + docs() + "/a.bin"}, {"mimeType", "application/octet-stream"}, {"blob", "/wA="}}));
  EXPECT_FALSE(harness_.call_tool("read_file", {{"path", "docs/a.bin"}, {"first_line", 1}}).ok());
}

TEST_F(Files, ServesAFileAsAResource) {
  const auto outcome = read_resource(docs().substr(1) + "/guide.md");
  EXPECT_EQ(outcome.json["contents"][0], (Json{{"uri", "file://" + docs() + "/guide.md"},
                                               {"mimeType", "text/markdown"},
                                               {"text", "# Guide\nline two\nline three\n"}}));
  folder_.write("docs/a.bin", std::string("\xFF\x00", 2));
  EXPECT_EQ(read_resource(docs().substr(1) + "/a.bin").json["contents"][0]["blob"], "/wA=");
}

TEST_F(Files, ResourceOutsideOfTheRootsIsRefused) {
  EXPECT_EQ(read_resource("etc/passwd").error_code(), -32602);
  EXPECT_EQ(read_resource(docs().substr(1) + "/../outside/secret.txt").error_code(), -32602);
  EXPECT_EQ(read_resource("/etc/passwd").error_code(), -32602);
}

TEST_F(Files, ResourceThatDoesNotExistIsNotFound) {
  EXPECT_EQ(read_resource(docs().substr(1) + "/missing.md").error_code(), -32002);
}

TEST_F(Files, ListsTheRoots) {
  EXPECT_THAT(listed(Json::object()), ElementsAre("docs", "docs/inner"));
}

TEST_F(Files, ListsARootThatIsMissingAsMissing) {
  const std::string gone = (folder_.path() / "gone").string();
  mcp::testing::Harness harness(setup, {{"roots", {{{"name", "gone"}, {"path", gone}}}}});
  const auto entry = harness.call_tool("list_files", Json::object()).structured()["entries"][0];
  EXPECT_EQ(entry, (Json{{"path", gone}, {"type", "missing"}}));
}

TEST_F(Files, ListsAFolderAsDeepAsAskedFor) {
  EXPECT_THAT(listed({{"path", "docs"}}), ElementsAre("docs/guide.md", "docs/inner"));
  EXPECT_THAT(listed({{"path", "docs"}, {"depth", 2}}),
              ElementsAre("docs/guide.md", "docs/inner", "docs/inner/note.txt"));
}

TEST_F(Files, ListsWhatMatchesAPattern) {
  EXPECT_THAT(listed({{"path", "docs"}, {"depth", 5}, {"pattern", "*.txt"}}), ElementsAre("docs/inner/note.txt"));
  EXPECT_THAT(listed({{"path", "docs"}, {"depth", 5}, {"pattern", "inner/*"}}), ElementsAre("docs/inner/note.txt"));
  EXPECT_THAT(listed({{"path", "docs"}, {"depth", 5}, {"pattern", "*.rs"}}), IsEmpty());
}

TEST_F(Files, SaysThatALimitCutTheListShort) {
  const auto outcome = harness_.call_tool("list_files", {{"path", "docs"}, {"limit", 1}});
  EXPECT_EQ(outcome.structured()["entries"].size(), 1U);
  EXPECT_EQ(outcome.structured()["complete"], false);
  EXPECT_EQ(harness_.call_tool("list_files", {{"path", "docs"}, {"limit", 2}}).structured()["complete"], true);
}

TEST_F(Files, ListsWhatEntriesAre) {
  fs::create_symlink("/", folder_.path() / "docs/link");
  const auto entries = harness_.call_tool("list_files", {{"path", "docs"}, {"depth", 3}}).structured()["entries"];
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0]["type"], "file");
  EXPECT_EQ(entries[0]["size"], 28);
  EXPECT_EQ(entries[1]["type"], "folder");
  EXPECT_FALSE(entries[1].contains("size"));
  EXPECT_EQ(entries[3]["type"], "link");
  EXPECT_THAT(entries[0]["modified"].get<std::string>(), testing::MatchesRegex("....-..-..T..:..:..Z"));
}

TEST_F(Files, InstructionsNameTheRoots) {
  EXPECT_EQ(harness_.describe()["instructions"], "Files can be used below these folders only:\n- docs: " + docs() +
                                                     " (read-only)\n- inner: " + docs() + "/inner (read-only)");
}

std::vector<std::string> tools_of(const Json& config) {
  const mcp::testing::Harness harness(setup, config);
  const auto description = harness.describe();
  std::vector<std::string> names;
  for (const auto& tool : description.at("tools"))
    names.push_back(tool["name"]);
  return names;
}

TEST(FilesConfiguration, WithoutRootsNothingIsListedAndTheLogSaysHowToConfigureThem) {
  for (const Json& config : {Json::object(), Json{{"roots", Json::array()}}}) {
    const mcp::testing::Harness harness(setup, config);
    const auto description = harness.describe();
    for (const auto* kind : {"tools", "resources", "resourceTemplates", "prompts"})
      EXPECT_TRUE(description.value(kind, nlohmann::ordered_json::array()).empty()) << kind;
    ASSERT_EQ(harness.logs().size(), 1U);
    EXPECT_THAT(harness.logs()[0].message, HasSubstr("no folders are configured. Write a file files.json"));
  }
}

TEST(FilesConfiguration, WithoutAWritableRootNoToolThatWritesIsListed) {
  const auto config = [](bool writable) {
    return Json{{"roots", {{{"name", "tmp"}, {"path", "/tmp"}, {"writable", writable}}}}};
  };
  EXPECT_THAT(tools_of(config(false)), UnorderedElementsAre("read_file", "list_files"));
  EXPECT_THAT(tools_of(config(true)), UnorderedElementsAre("read_file", "list_files", "write_file", "append_file"));
}

std::string refusal(const Json& config) {
  try {
    const mcp::testing::Harness harness(setup, config);
    return "accepted";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(FilesConfiguration, MistakesAreRefusedInWords) {
  EXPECT_THAT(refusal({{"roots", {{{"name", "a"}, {"path", "relative"}}}}}),
              HasSubstr("roots: \"a\": the path must be absolute, not \"relative\""));
  EXPECT_THAT(refusal({{"roots", {{{"name", "a/b"}, {"path", "/x"}}}}}), HasSubstr("has no \"/\""));
  EXPECT_THAT(refusal({{"roots", {{{"name", ".."}, {"path", "/x"}}}}}), HasSubstr("does not begin with \".\""));
  EXPECT_THAT(refusal({{"roots", {{{"name", "a"}, {"path", "/x"}}, {{"name", "a"}, {"path", "/y"}}}}}),
              HasSubstr("the name \"a\" is given twice"));
  EXPECT_THAT(refusal({{"roots", {{{"path", "/x"}}}}}), HasSubstr("name"));
  EXPECT_THAT(refusal({{"maxFileBytes", 0}}), HasSubstr("maxFileBytes must be at least 1"));
}

TEST(FilesConfiguration, MissingRootIsLoggedAndServedOnceItIsThere) {
  const mcph::test::TemporaryFolder folder;
  const std::string later = (folder.path() / "later").string();
  mcp::testing::Harness harness(setup, {{"roots", {{{"name", "later"}, {"path", later}}}}});
  ASSERT_EQ(harness.logs().size(), 1U);
  EXPECT_EQ(harness.logs()[0].message, "the root \"later\", " + later + ", does not exist");
  folder.write("later/a.txt", "a");
  EXPECT_EQ(harness.call_tool("read_file", {{"path", "later/a.txt"}}).text(), "a");
}

TEST(FilesGlob, KnowsStarAndQuestionMark) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("*.md", "a.b.md"));
  EXPECT_FALSE(glob_matches("*.md", "a.mdx"));
  EXPECT_TRUE(glob_matches("a?c",
                           "a\xC3\xA4"
                           "c"));
  EXPECT_FALSE(glob_matches("a?c", "ac"));
  EXPECT_TRUE(glob_matches("src/*.cpp", "src/a/b.cpp"));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_TRUE(glob_matches("*a*b", "xaxaxb"));
  EXPECT_FALSE(glob_matches("[a]", "a"));
}

TEST(FilesGlob, HostilePatternTakesNoLongTime) {
  std::string pattern;
  for (int i = 0; i < 100; ++i)
    pattern += "*a";
  EXPECT_FALSE(glob_matches(pattern + "b", std::string(10000, 'a')));
}

TEST(FilesContentType, IsByEndingAndByBytes) {
  EXPECT_EQ(content_type("a.MD", "x").mime_type, "text/markdown");
  EXPECT_EQ(content_type("Makefile", "x").mime_type, "text/plain");
  EXPECT_EQ(content_type("a.png", "text").mime_type, "image/png");
  EXPECT_FALSE(content_type("a.png", "text").is_text);
  EXPECT_EQ(content_type("a.txt", "\xFF").mime_type, "application/octet-stream");
  EXPECT_EQ(content_type("a.txt", std::string_view("a\0b", 3)).mime_type, "application/octet-stream");
  EXPECT_EQ(content_type(".json", "x").mime_type, "text/plain");
  EXPECT_TRUE(content_type("empty", "").is_text);
}

}  // namespace
}  // namespace plugins::files
