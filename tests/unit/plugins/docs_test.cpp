#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "docs/document_folder.hpp"
#include "docs/setup.hpp"
#include "support/temporary_folder.hpp"

namespace plugins::docs {
namespace {

namespace fs = std::filesystem;
using mcp::Json;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> uris(const mcp::testing::Harness& harness) {
  std::vector<std::string> uris;
  const auto description = harness.describe();
  for (const auto& resource : description.at("resources"))
    uris.push_back(resource["uri"].get<std::string>());
  return uris;
}

// False if it does not come true within a minute.
bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// Whether the plugin has looked at its folder, for which it does not let its start wait long.
bool has_looked(const mcp::testing::Harness& harness) {
  return comes_true([&] { return harness.components_changed() > 0; });
}

class Docs : public testing::Test {
 protected:
  Docs() {
    folder_.write("outside/secret.md", "# Secret");
    folder_.write("docs/index.md", "# Welcome\n\nThe first page.\n");
    folder_.write("docs/guide/how to.markdown", "No heading.\n");
    folder_.write("docs/picture.png", "x");
    folder_.write("docs/.hidden.md", "# Hidden");
    const std::chrono::sys_days day(std::chrono::year(2026) / std::chrono::January / 12);
    fs::last_write_time(folder_.path() / "docs/index.md",
                        std::chrono::file_clock::from_sys(std::chrono::sys_seconds(day)));
  }

  Json config() const { return {{"folder", (folder_.path() / "docs").string()}, {"rescanMilliseconds", 50}}; }
  static mcp::testing::Outcome read(mcp::testing::Harness& harness, const std::string& path) {
    return harness.read_template("docs://*", {{"*", path}});
  }

  mcph::test::TemporaryFolder folder_;
};

TEST_F(Docs, ListsEachDocumentWithWhatItIsAbout) {
  const mcp::testing::Harness harness(setup, config());
  ASSERT_TRUE(has_looked(harness));
  EXPECT_THAT(uris(harness), ElementsAre("docs://guide/how%20to.markdown", "docs://index.md"));
  EXPECT_EQ(harness.describe()["resources"][1], (nlohmann::ordered_json{
                                                    {"uri", "docs://index.md"},
                                                    {"name", "index.md"},
                                                    {"title", "Welcome"},
                                                    {"description", "The first page."},
                                                    {"mimeType", "text/markdown"},
                                                    {"size", 27},
                                                    {"annotations", {{"lastModified", "2026-01-12T00:00:00Z"}}},
                                                }));
  EXPECT_EQ(harness.describe()["resources"][0]["title"], "how to");
}

TEST_F(Docs, ReadsADocumentThroughTheListAndThroughTheTemplate) {
  mcp::testing::Harness harness(setup, config());
  ASSERT_TRUE(has_looked(harness));
  const Json content{
      {"uri", "docs://index.md"}, {"mimeType", "text/markdown"}, {"text", "# Welcome\n\nThe first page.\n"}};
  EXPECT_EQ(harness.read("docs://index.md").json["contents"][0], content);
  EXPECT_EQ(read(harness, "index.md").json["contents"][0], content);
  EXPECT_EQ(read(harness, "guide/how to.markdown").text(), "No heading.\n");
}

TEST_F(Docs, RefusesPathsThatLeaveTheFolder) {
  fs::create_symlink(folder_.path() / "outside/secret.md", folder_.path() / "docs/link.md");
  mcp::testing::Harness harness(setup, config());
  EXPECT_EQ(read(harness, "../outside/secret.md").error_code(), -32002);
  EXPECT_EQ(read(harness, "/outside/secret.md").error_code(), -32002);
  EXPECT_EQ(read(harness, std::string("index.md\0", 9)).error_code(), -32002);
  const auto link = read(harness, "link.md");
  EXPECT_EQ(link.error_code(), -32602);
  EXPECT_EQ(link.text(), "\"link.md\" goes through a symbolic link that is absolute or leads out of its root");
  EXPECT_THAT(uris(harness), testing::Not(testing::Contains("docs://link.md")));
}

TEST_F(Docs, ServesMarkdownOnly) {
  mcp::testing::Harness harness(setup, config());
  EXPECT_EQ(read(harness, "picture.png").error_code(), -32002);
  EXPECT_EQ(read(harness, ".hidden.md").error_code(), -32002);
  EXPECT_EQ(read(harness, "guide").error_code(), -32002);
  EXPECT_EQ(read(harness, "missing.md").error_code(), -32002);
}

TEST_F(Docs, BuiltInDocumentIsNotReadBesideOthers) {
  mcp::testing::Harness harness(setup, config());
  ASSERT_TRUE(has_looked(harness));
  EXPECT_EQ(read(harness, "README.md").error_code(), -32002);
}

TEST_F(Docs, PathThroughADocumentIsNotFound) {
  mcp::testing::Harness harness(setup, config());
  EXPECT_EQ(read(harness, "index.md/x.md").error_code(), -32002);
}

TEST_F(Docs, RefusesADocumentThatIsNoText) {
  folder_.write("docs/binary.md", "\xFF\xFE");
  mcp::testing::Harness harness(setup, config());
  EXPECT_EQ(read(harness, "binary.md").text(), "\"binary.md\" is not UTF-8 text");
  EXPECT_THAT(uris(harness), testing::Not(testing::Contains("docs://binary.md")));
}

TEST_F(Docs, NoticesNewChangedAndRemovedDocuments) {
  mcp::testing::Harness harness(setup, config());
  ASSERT_TRUE(has_looked(harness));
  const int before = harness.components_changed();
  // It comes as a whole, so that no look finds it empty.
  fs::rename(folder_.write("outside/new.md", "# New"), folder_.path() / "docs/new.md");
  EXPECT_TRUE(comes_true([&] { return uris(harness).size() == 3 && harness.components_changed() > before; }));

  folder_.write("docs/index.md", "# Changed title");
  EXPECT_TRUE(comes_true([&] { return !harness.updated_resources().empty(); }));
  EXPECT_THAT(harness.updated_resources(), testing::Each("docs://index.md"));
  EXPECT_TRUE(comes_true([&] { return harness.describe().dump().find("Changed title") != std::string::npos; }));

  fs::remove(folder_.path() / "docs/new.md");
  EXPECT_TRUE(comes_true([&] { return uris(harness).size() == 2; }));
  EXPECT_EQ(harness.read("docs://new.md").error_code(), -32002);
}

TEST_F(Docs, NoticesAChangeLongBeforeTheNextLook) {
  auto patient = config();
  patient["rescanMilliseconds"] = 3'600'000;
  mcp::testing::Harness harness(setup, patient);
  EXPECT_TRUE(comes_true([&] {
    folder_.write("docs/index.md", "# Changed " + std::to_string(std::rand()) + "\n");
    return !harness.updated_resources().empty();
  }));
  EXPECT_THAT(harness.updated_resources(), testing::Each("docs://index.md"));
}

TEST_F(Docs, OffersPathsOfDocuments) {
  mcp::testing::Harness harness(setup, config());
  ASSERT_TRUE(has_looked(harness));
  EXPECT_THAT(harness.complete_template("docs://*", "*", "").values(),
              ElementsAre("guide/how to.markdown", "index.md"));
  EXPECT_THAT(harness.complete_template("docs://*", "*", "IN").values(), ElementsAre("index.md"));
}

TEST_F(Docs, SaysNothingWhileNothingChanges) {
  const mcp::testing::Harness harness(setup, config());
  ASSERT_TRUE(has_looked(harness));
  const int before = harness.components_changed();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(harness.components_changed(), before);
  EXPECT_TRUE(harness.updated_resources().empty());
}

TEST_F(Docs, SaysOnceThatThereAreMoreDocumentsThanItLists) {
  for (int i = 0; i < 1000; ++i)
    folder_.write("docs/many/" + std::to_string(i) + ".md", "x");
  mcp::testing::Harness harness(setup, config());
  EXPECT_TRUE(comes_true([&] { return uris(harness).size() == 1000; }));
  EXPECT_EQ(read(harness, "many/999.md").text(), "x");
  folder_.write("docs/first.md", "x");
  EXPECT_TRUE(comes_true([&] { return harness.read("docs://first.md").text() == "x"; }));
  const auto logs = harness.logs();
  EXPECT_EQ(std::count_if(
                logs.begin(), logs.end(),
                [](const auto& log) { return log.message.find("has more than 1000 documents") != std::string::npos; }),
            1);
}

TEST_F(Docs, KeepsTheListWhileTheFolderCannotBeOpened) {
  const auto link = folder_.path() / "link";
  fs::create_directory_symlink(folder_.path() / "docs", link);
  const DocumentFolder folder(link.string());
  const auto known = folder.scan({});
  EXPECT_EQ(known.documents.size(), 2U);

  fs::remove(link);
  fs::create_directory_symlink(link, link);  // leads nowhere else
  EXPECT_EQ(folder.scan(known).documents.size(), 2U);

  fs::remove(link);
  EXPECT_TRUE(folder.scan(known).documents.empty());
}

TEST_F(Docs, SaysOnceWhyAFileIsNotListed) {
  folder_.write("docs/latin.md", "Gr\xFC\xDF e");
  mcp::testing::Harness harness(setup, config());
  const auto warnings = [&harness] {
    std::vector<std::string> found;
    for (const auto& log : harness.logs()) {
      if (log.message.find("is not listed") != std::string::npos) found.push_back(log.message);
    }
    return found;
  };
  const auto folder = (folder_.path() / "docs").string();
  EXPECT_TRUE(comes_true([&] { return !warnings().empty(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_THAT(warnings(), ElementsAre("latin.md in " + folder +
                                      " is not listed, because it is not UTF-8 text. Make it UTF-8 of at most 10485760 "
                                      "bytes that this server may read"));
  folder_.write("docs/latin.md", "Gr\xC3\xBC\xC3\x9F e");
  EXPECT_TRUE(comes_true([&] { return uris(harness).size() == 3; }));
}

// As long as it does not change.
TEST_F(Docs, ReadsAFileThatIsNotListedNoSecondTime) {
  const auto file = folder_.write("docs/large.md", "");
  fs::resize_file(file, DocumentFolder::max_document_size + 1);
  const DocumentFolder folder((folder_.path() / "docs").string());
  auto known = folder.scan({});
  ASSERT_EQ(known.unlisted.size(), 1U);
  EXPECT_EQ(known.unlisted.at("large.md").reason, "has 10485761 bytes; the limit is 10485760");
  known.unlisted.at("large.md").reason = "as before";
  EXPECT_EQ(folder.scan(known).unlisted.at("large.md").reason, "as before");
  fs::resize_file(file, 100);
  EXPECT_EQ(folder.scan(known).unlisted.at("large.md").reason, "is not UTF-8 text");
}

TEST_F(Docs, BuiltInDocumentIsThereUntilThereIsAnother) {
  fs::remove_all(folder_.path() / "docs");
  mcp::testing::Harness harness(setup, config());
  ASSERT_TRUE(has_looked(harness));
  EXPECT_THAT(uris(harness), ElementsAre("docs://README.md"));
  EXPECT_EQ(harness.describe()["resources"][0]["title"], "Your documents go here");
  EXPECT_THAT(harness.read("docs://README.md").text(), HasSubstr("docs.json"));

  folder_.write("docs/README.md", "# Mine");
  EXPECT_TRUE(comes_true([&] { return harness.describe()["resources"][0]["title"] == "Mine"; }));
  EXPECT_TRUE(comes_true([&] { return harness.read("docs://README.md").text() == "# Mine"; }));
  EXPECT_THAT(uris(harness), ElementsAre("docs://README.md"));

  fs::remove(folder_.path() / "docs/README.md");
  EXPECT_TRUE(comes_true([&] { return harness.describe()["resources"][0]["title"] == "Your documents go here"; }));
}

TEST(DocsConfiguration, WorksWithoutOne) {
  mcp::testing::Harness harness(setup);
  ASSERT_TRUE(has_looked(harness));
  EXPECT_THAT(uris(harness), ElementsAre("docs://README.md"));
  EXPECT_THAT(harness.read_template("docs://*", {{"*", "README.md"}}).text(), HasSubstr("Your documents go here"));
  ASSERT_EQ(harness.logs().size(), 1U);
  EXPECT_THAT(harness.logs()[0].message, HasSubstr("serving the Markdown files in /"));
}

TEST(DocsConfiguration, MistakesAreRefusedInWords) {
  const auto refusal = [](const mcp::Json& configuration) -> std::string {
    try {
      const mcp::testing::Harness harness(setup, configuration);
      return "accepted";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(refusal({{"folder", "relative"}}), HasSubstr("folder"));
  EXPECT_THAT(refusal({{"rescanMilliseconds", 1}}), HasSubstr("rescanMilliseconds must be at least"));
  EXPECT_THAT(refusal({{"folder", 7}}), HasSubstr("folder"));
}

}  // namespace
}  // namespace plugins::docs
