#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "knowledge/document.hpp"
#include "knowledge/html_text.hpp"
#include "knowledge/index_reader.hpp"
#include "knowledge/index_writer.hpp"
#include "knowledge/indexer.hpp"
#include "knowledge/pdf_text.hpp"
#include "knowledge/setup.hpp"
#include "shared/file_error.hpp"
#include "support/eventually.hpp"
#include "support/temporary_folder.hpp"

namespace plugins::knowledge {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(HtmlText, IsWhatPeopleRead) {
  const auto page = text_of_html(R"(<!doctype html><html><head><title>Pay &amp; more</title><style>p{}</style></head>
<body onload="x > y"><!-- hidden <p> --><h1>Pay</h1><p>Salaries are p<b>ai</b>d<br>m&ouml;glichst &#x20AC;&#8364; &unknown; a < b
<script>var hidden = "</p>";</script><ul><li>one<li>two</ul>)");
  EXPECT_EQ(page.title, "Pay & more");
  EXPECT_EQ(page.text, "Pay Salaries are paid möglichst €€ &unknown; a < b one two");
}

TEST(HtmlText, TakesWhatIsNoHtml) {
  EXPECT_EQ(text_of_html("").text, "");
  EXPECT_EQ(text_of_html("a <b").text, "a");
  EXPECT_EQ(text_of_html("a <!-- b").text, "a");
  EXPECT_EQ(text_of_html("a <script> b").text, "a");
  EXPECT_EQ(text_of_html("a <p title=\"b").text, "a");
  EXPECT_EQ(text_of_html("&#x110000; &#0; &; &#; &#xD800;").text, "&; &#;");
}

TEST(HtmlText, AnElementThatEndsItselfSilencesNothingElse) {
  EXPECT_EQ(text_of_html("a <script src=\"a.js\"/> b <style/> c <svg viewBox='0 0 1 1' /> d").text, "a b c d");
  EXPECT_EQ(text_of_html("a <script src=\"a.js\"/> b <script>hidden</script> c").text, "a b c");
  EXPECT_EQ(text_of_html("a <script src=a.js/>hidden</script> b").text, "a b");
  EXPECT_EQ(text_of_html("<title/>a").text, "a");
}

TEST(HtmlText, AQuoteIsOneOnlyWhereAValueBegins) {
  EXPECT_EQ(text_of_html("<a title=Bob's>a</a> b <a title=it's>c</a>").text, "a b c");
  EXPECT_EQ(text_of_html("<a ' href = 'x>y' title=\">\">a</a>").text, "a");
  EXPECT_EQ(text_of_html("<a href=?x='1>a</a> 'b'").text, "a 'b'");
}

// In time that grows with the length: each of these would take hours if it did with its square, and no test may.
TEST(HtmlText, IsNotSlowedDownOnPurpose) {
  for (const std::string part : {"<", "<!--", "<script>", "<script/>", "<script/><style/>", "</script", "&#", "<a '",
                                 "<a b='", "<title>", "</"}) {
    std::string text;
    while (text.size() < 4'000'000)
      text += part;
    EXPECT_LE(text_of_html(text).text.size(), text.size()) << part;
  }
}

std::optional<Kind> kind(std::string_view path) {
  return kind_of(RelativePath::parse(path).value_or(RelativePath()));
}

TEST(Document, IsKnownByItsName) {
  EXPECT_EQ(kind("a/B.MD"), Kind::markdown);
  EXPECT_EQ(kind("b.htm"), Kind::html);
  EXPECT_EQ(kind("b.pdf"), Kind::pdf);
  EXPECT_EQ(kind("b.rst"), Kind::text);
  EXPECT_FALSE(kind("b.png"));
  EXPECT_FALSE(kind(".b.md"));
  EXPECT_FALSE(kind(".git/b.md"));
  EXPECT_FALSE(kind("."));
}

TEST(Document, HasATitle) {
  const std::atomic<bool> is_stopped = false;
  const auto title = [&](std::string_view path, Kind of, std::string content) {
    return read_document(*RelativePath::parse(path), of, std::move(content), std::chrono::seconds(1), is_stopped).title;
  };
  EXPECT_EQ(title("a/b c.md", Kind::markdown, "text\n## The title ##\r\n"), "The title");
  EXPECT_EQ(title("a/b c.md", Kind::markdown, "#no title\n#\n"), "b c");
  EXPECT_EQ(title("b.md", Kind::markdown, "```sh\n# install it\n~~~\n# more\n```\n# The title\n"), "The title");
  EXPECT_EQ(title("b.md", Kind::markdown, "- item\n  ~~~\n# comment\n  ~~~\n"), "b");
  EXPECT_EQ(title("b.md", Kind::markdown, "---\r\n# comment\r\ntags: x\r\n---\r\n# The title\r\n"), "The title");
  EXPECT_EQ(title("b.md", Kind::markdown, "---\n# The title\n"), "The title");
  EXPECT_EQ(title("b.txt", Kind::text, "# text"), "b");
  EXPECT_EQ(title("b.md", Kind::markdown, "\xEF\xBB\xBF# Marked"), "Marked");
  EXPECT_THROW(title("b.md", Kind::markdown, "\xFF"), std::runtime_error);
}

// A program in place of pdftotext.
class PdfProgram : public testing::Test {
 protected:
  std::string program(const std::string& script) {
    const auto file = folder_.write("program", "#!/bin/sh\n" + script + "\n");
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }
  std::string text_by(const std::string& script, PdfLimits limits = {std::chrono::seconds(60), 1000}) {
    return text_of_pdf("the file", limits, is_stopped_, program(script).c_str());
  }
  std::string failure_of(const std::string& script, PdfLimits limits = {std::chrono::seconds(60), 1000}) {
    try {
      text_by(script, limits);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  }

  mcph::test::TemporaryFolder folder_;
  std::atomic<bool> is_stopped_ = false;
};

TEST_F(PdfProgram, ReadsTheFileFromItsInput) {
  EXPECT_EQ(text_by("cat"), "the file");
}

TEST_F(PdfProgram, OneThatHangsCostsOnlyTheFile) {
  EXPECT_EQ(failure_of("exec sleep 1000", {std::chrono::milliseconds(200), 1000}), "takes longer than 1 s to read");
}

TEST_F(PdfProgram, OneThatHangsBehindItsOutputCostsOnlyTheFile) {
  EXPECT_EQ(failure_of("echo text; exec >&-; exec sleep 1000", {std::chrono::milliseconds(200), 1000}),
            "takes longer than 1 s to read");
}

TEST_F(PdfProgram, OneThatCrashesCostsOnlyTheFile) {
  EXPECT_EQ(failure_of("kill -SEGV $$"), "breaks the program that reads PDFs");
  EXPECT_EQ(failure_of("exit 1"), "is no PDF that can be read");
}

TEST_F(PdfProgram, EndlessTextIsCutOff) {
  EXPECT_GE(text_by("exec yes").size(), 1000U);
}

TEST_F(PdfProgram, WritesNoFiles) {
  EXPECT_EQ(failure_of("echo x > " + (folder_.path() / "made").string()), "breaks the program that reads PDFs");
}

TEST_F(PdfProgram, EndsWhenThePluginIsStopped) {
  is_stopped_ = true;
  EXPECT_EQ(failure_of("exec sleep 1000"), "was not read to its end");
}

TEST_F(PdfProgram, OneThatIsNotThereIsAnErrorOfItsOwn) {
  EXPECT_THROW(text_of_pdf("x", {std::chrono::seconds(1), 1000}, is_stopped_, "/nowhere/pdftotext"), PdfReaderMissing);
}

// So that the program itself could be started, if there were descriptors for it.
class FewDescriptors {
 public:
  FewDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const ::rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  ::rlimit before_{};
};

TEST_F(PdfProgram, OneThatCannotBeStartedNowIsNoFaultOfTheFile) {
  const auto file = program("cat");
  const FewDescriptors few;
  try {
    text_of_pdf("the file", {std::chrono::seconds(10), 1000}, is_stopped_, file.c_str());
    FAIL() << "it was started";
  } catch (const FileError& error) {
    EXPECT_TRUE(error.is_of_the_moment()) << error.what();
  }
  EXPECT_TRUE(FileError(EIO).is_of_the_moment());
  EXPECT_FALSE(FileError(EACCES).is_of_the_moment());
}

class Index : public testing::Test {
 protected:
  static void put(IndexWriter& index, const std::string& path, const std::string& title, const std::string& text) {
    sqlite::Transaction transaction(index.database());
    index.put(path, {1, 2}, title, text);
    transaction.commit();
  }
  std::vector<std::string> found(std::string_view query) {
    std::vector<std::string> paths;
    for (const auto& hit : IndexReader(file_).search(query, 10))
      paths.push_back(hit.path);
    return paths;
  }

  mcph::test::TemporaryFolder folder_;
  const std::string file_ = (folder_.path() / "index.db").string();
};

TEST_F(Index, WordsInTheTitleCountMore) {
  auto index = IndexWriter::open(file_, "/docs");
  put(index, "a.md", "Other", "penguins penguins and much else that makes it longer");
  put(index, "b.md", "Penguins", "something else entirely");
  EXPECT_THAT(found("penguins"), ElementsAre("b.md", "a.md"));
}

TEST_F(Index, FewerWordsAreTriedWhereNoneHasAll) {
  auto index = IndexWriter::open(file_, "/docs");
  put(index, "a.md", "a", "rare common");
  put(index, "b.md", "b", "common");
  put(index, "c.md", "c", "common");
  EXPECT_THAT(found("common rare unheardof"), ElementsAre("a.md"));
  EXPECT_THAT(found("unheardof"), IsEmpty());
  EXPECT_THAT(found("comm"), testing::SizeIs(3));
}

TEST_F(Index, SomethingIsFoundThoughADocumentHasFewOfTheWords) {
  auto index = IndexWriter::open(file_, "/docs");
  const std::vector<std::string> words{"how", "can", "one", "get", "rid", "of", "all", "those", "mice", "soon"};
  // Each in more documents than the one before.
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      put(index, words[i] + std::to_string(j), "x", words[i]);
  }
  put(index, "a.md", "x", "how can one get");
  EXPECT_THAT(found("how can one get rid of all those mice soon"), ElementsAre("a.md"));
}

TEST_F(Index, ASearchThatTakesTooLongIsAnErrorUnlessSomethingIsFound) {
  auto index = IndexWriter::open(file_, "/docs");
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "a ";
  for (int i = 0; i < 100; ++i)
    put(index, std::to_string(i), "x", text);
  IndexReader reader(file_, std::chrono::milliseconds(1));
  try {
    reader.search("a.a.a.a.a.a.a.b", 10);
    FAIL() << "it had time";
  } catch (const SearchTooLong& error) {
    EXPECT_STREQ(error.what(), "The search took longer than 1 ms. Search for fewer words, or for rarer ones");
  }
  EXPECT_EQ(reader.count_documents(), 100);
}

TEST_F(Index, WhatCouldNotBeReadIsTriedAgainWithOtherLimits) {
  using std::chrono::seconds;
  auto index = IndexWriter::open(file_, "/docs");
  index.set_limits(100, seconds(20));
  put(index, "a.md", "a", "text");
  {
    sqlite::Transaction transaction(index.database());
    index.put_problem("b.md", {1, 2, 3}, "has 200 bytes; the limit is 100");
    transaction.commit();
  }
  index.set_limits(100, seconds(20));
  EXPECT_THAT(index.known("."),
              ElementsAre(testing::Pair("a.md", FileState{1, 2, 0}), testing::Pair("b.md", FileState{1, 2, 3})));
  index.set_limits(300, seconds(20));
  EXPECT_THAT(index.known("."), ElementsAre(testing::Key("a.md")));
  EXPECT_EQ(index.count_files(), 1U);
}

TEST_F(Index, TellsWhatIsNewToWhoeverDoesNotKeepIt) {
  auto index = IndexWriter::open(file_, "/docs");
  put(index, "a.md", "a", "text");
  IndexReader reader(file_);
  EXPECT_EQ(reader.news(), std::vector<std::string>());
  EXPECT_FALSE(reader.news());
  put(index, "a.md", "a", "another");
  put(index, "b.md", "b", "text");
  EXPECT_EQ(reader.news(), (std::vector<std::string>{"a.md", "b.md"}));
  EXPECT_FALSE(reader.news());
  {
    sqlite::Transaction transaction(index.database());
    index.remove("a.md");
    transaction.commit();
  }
  EXPECT_EQ(reader.news(), std::vector<std::string>{"a.md"});
  EXPECT_FALSE(reader.news());
}

TEST_F(Index, AReplacedDocumentIsFoundByWhatItSaysNow) {
  auto index = IndexWriter::open(file_, "/docs");
  put(index, "a.md", "a", "before");
  put(index, "a.md", "a", "after");
  EXPECT_THAT(found("before"), IsEmpty());
  EXPECT_THAT(found("after"), ElementsAre("a.md"));
  EXPECT_EQ(index.count_documents(), 1);
}

TEST_F(Index, KnowsWhatLiesBelowAFolder) {
  auto index = IndexWriter::open(file_, "/docs");
  for (const char* const path : {"a/b.md", "a/c/d.md", "a.md", "ab/e.md"})
    put(index, path, "x", "x");
  EXPECT_THAT(index.known("a"), ElementsAre(testing::Key("a/b.md"), testing::Key("a/c/d.md")));
  EXPECT_THAT(index.known("a.md"), ElementsAre(testing::Key("a.md")));
  EXPECT_EQ(index.known(".").size(), 4U);
}

TEST_F(Index, OneOfAnotherFolderOrADamagedOneIsMadeAnew) {
  {
    auto index = IndexWriter::open(file_, "/docs");
    put(index, "a.md", "x", "x");
  }
  EXPECT_EQ(IndexWriter::open(file_, "/docs").count_documents(), 1);
  EXPECT_EQ(IndexWriter::open(file_, "/other").count_documents(), 0);
  std::ofstream(file_, std::ios::binary) << std::string(10'000, 'x');
  EXPECT_EQ(IndexWriter::open(file_, "/docs").count_documents(), 0);
}

// Whoever made it anew: the reader is not told.
TEST_F(Index, AReaderGoesToTheOneThatHasReplacedIt) {
  {
    auto index = IndexWriter::open(file_, "/docs");
    put(index, "old.md", "x", "word");
  }
  IndexReader reader(file_);
  EXPECT_EQ(reader.search("word", 10)[0].path, "old.md");
  auto index = IndexWriter::open(file_, "/other");
  put(index, "new.md", "x", "word");
  EXPECT_EQ(reader.search("word", 10)[0].path, "new.md");
  EXPECT_EQ(reader.count_documents(), 1);
  EXPECT_FALSE(reader.text("old.md"));
}

TEST(Knowledge, FindsReadsAndCompletesAndFollowsNoLinks) {
  const mcph::test::TemporaryFolder folder;
  folder.write("docs/a.md", "# Apples");
  const mcp::Json config{{"folder", (folder.path() / "docs").string()}};
  mcp::testing::Harness harness(setup, config);
  const auto found = [](mcp::testing::Harness& in, const std::string& query) {
    return in.call_tool("search_knowledge", {{"query", query}}).text();
  };
  EXPECT_TRUE(mcph::test::eventually([&] { return !harness.describe()["resources"].empty(); }));
  EXPECT_THAT(found(harness, "apples"), HasSubstr("knowledge://a.md"));
  EXPECT_EQ(harness.complete_template("knowledge://{+id}", "id", "a").values(), std::vector<std::string>{"a.md"});
  EXPECT_EQ(harness.describe()["resources"][0]["uri"], "knowledge://a.md");
  folder.write("secret.md", "# Secret");
  fs::create_symlink(folder.path() / "secret.md", folder.path() / "docs/link.md");
  EXPECT_NE(harness.read("knowledge://link.md").error_code(), 0);
  folder.write("outside/b.md", "# Outside");
  fs::create_directory_symlink(folder.path() / "outside", folder.path() / "docs/sub");
  fs::create_directory_symlink("../outside", folder.path() / "docs/up");
  EXPECT_NE(harness.read("knowledge://sub/b.md").error_code(), 0);
  EXPECT_NE(harness.read("knowledge://up/b.md").error_code(), 0);
}

TEST(Knowledge, ReadsNothingThroughLinksInItsFolderButThroughOneToIt) {
  const mcph::test::TemporaryFolder folder;
  folder.write("docs/guide/a.md", "# Apples");
  folder.write("docs/.hidden/b.md", "# Hidden");
  folder.write("docs/.b.md", "# Hidden");
  fs::create_directory_symlink("docs", folder.path() / "link");
  fs::create_symlink("guide/a.md", folder.path() / "docs/same.md");
  fs::create_symlink(".b.md", folder.path() / "docs/b.md");
  fs::create_directory_symlink("guide", folder.path() / "docs/same");
  fs::create_directory_symlink(".hidden", folder.path() / "docs/shown");
  const mcp::Json config{{"folder", (folder.path() / "link").string()}};
  mcp::testing::Harness harness(setup, config);
  EXPECT_TRUE(mcph::test::eventually([&] { return !harness.describe()["resources"].empty(); }));
  EXPECT_EQ(harness.read("knowledge://guide/a.md").text(), "# Apples");
  for (const auto* const id : {"same.md", "b.md", "same/a.md", "shown/b.md", ".b.md", ".hidden/b.md"})
    EXPECT_NE(harness.read("knowledge://" + std::string(id)).error_code(), 0) << id;
}

// A host that serves a folder, with the index beside it.
class Host {
 public:
  Host(const fs::path& folder, std::uint64_t max_file_bytes)
      : folder_(folder.string()), file_(folder_ + ".db"), max_file_bytes_(max_file_bytes) {}

  std::int64_t documents() const { return indexer_->documents(); }
  bool is_indexing() const { return indexer_->is_indexing(); }
  std::vector<std::string> updated() const { return harness_.updated_resources(); }
  bool has_said(std::string_view words) const {
    const auto logs = harness_.logs();
    return std::any_of(logs.begin(), logs.end(),
                       [&](const auto& entry) { return entry.message.find(words) != std::string::npos; });
  }

 private:
  void set_up(mcp::Plugin& plugin) {
    using std::chrono::seconds;
    const auto read = [](const std::string&) { return std::nullopt; };
    plugin.on_start([this, &plugin, read] {
      indexer_.emplace(plugin, Settings{folder_, max_file_bytes_, 1000, seconds(60), seconds(1)}, file_, reader_, read);
      indexer_->wait_for_first_look(mcph::test::patience);
    });
    plugin.on_stop([this] { indexer_.reset(); });
  }

  const std::string folder_;
  const std::string file_;
  const std::uint64_t max_file_bytes_;
  IndexReader reader_{file_};
  std::optional<Indexer> indexer_;
  mcp::testing::Harness harness_{[this](mcp::Plugin& plugin) { set_up(plugin); }};
};

class Hosts : public testing::Test {
 protected:
  // How many a host serves that has looked at all files, and reads those up to this size.
  std::int64_t documents(std::uint64_t max_file_bytes) const {
    const Host host(docs_, max_file_bytes);
    EXPECT_FALSE(host.is_indexing());
    return host.documents();
  }

  mcph::test::TemporaryFolder folder_;
  const fs::path docs_ = folder_.path() / "docs";
};

TEST_F(Hosts, AFileThatWasTooLargeIsReadOnceItMayBe) {
  folder_.write("docs/a.md", std::string(100, 'x'));
  EXPECT_EQ(documents(10), 0);
  EXPECT_EQ(documents(100), 1);
}

TEST_F(Hosts, AFileThatCouldNotBeReadIsTriedAgainWhenOnlyItsInodeChanges) {
  const auto file = folder_.write("docs/a.md", "\xFF");
  const auto time = fs::last_write_time(file);
  EXPECT_EQ(documents(100), 0);
  folder_.write("docs/a.md", "a");
  fs::last_write_time(file, time);
  EXPECT_EQ(documents(100), 1);
}

TEST_F(Hosts, TheOneThatDoesNotKeepTheIndexTellsOfWhatChanges) {
  folder_.write("docs/a.md", "before");
  const Host keeper(docs_, 100);
  const Host other(docs_, 100);
  EXPECT_EQ(other.documents(), 1);
  // Also a change that comes before it has looked for the first time is seen then, but told to nobody.
  EXPECT_TRUE(mcph::test::eventually([&, i = 0]() mutable {
    folder_.write("docs/a.md", "after" + std::to_string(++i));
    folder_.write("docs/b.md", "new");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return other.documents() == 2 && !other.updated().empty();
  }));
  EXPECT_THAT(other.updated(), testing::Contains("knowledge://a.md"));
}

TEST_F(Hosts, NobodyWaitsForAnIndexThatCannotBeKept) {
  folder_.write("docs/a.md", "a");
  IndexWriter::open(docs_.string() + ".db", docs_.string()).database().execute("DROP TABLE limits");
  const Host host(docs_, 100);
  EXPECT_FALSE(host.is_indexing());
  EXPECT_TRUE(host.has_said("cannot be kept"));
}

// Programs are looked for in this folder, until it is destroyed.
class ProgramsIn {
 public:
  explicit ProgramsIn(const fs::path& folder) { ::setenv("PATH", folder.c_str(), 1); }
  ProgramsIn(const ProgramsIn&) = delete;
  ProgramsIn& operator=(const ProgramsIn&) = delete;
  ~ProgramsIn() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  const std::string before_ = ::getenv("PATH");
};

TEST_F(Hosts, PdfsStayWhileTheirReaderIsAwayAndThoseThatAreNewAreReadOnceItIsBack) {
  const auto reader = folder_.write("programs/pdftotext", "#!/bin/sh\ncat\n");
  const auto away = folder_.path() / "away";
  fs::permissions(reader, fs::perms::owner_all);
  const ProgramsIn programs(reader.parent_path());
  // A link that leads elsewhere at once, so that everything is looked at and nothing is missing meanwhile.
  const auto docs = folder_.path() / "link";
  const auto lead_to = [&](const char* name) {
    fs::create_directory_symlink(name, folder_.path() / "next");
    fs::rename(folder_.path() / "next", docs);
  };
  folder_.write("before/a.pdf", "apples");
  lead_to("before");
  const Host host(docs, 100);
  ASSERT_EQ(host.documents(), 1);

  fs::rename(reader, away);
  folder_.write("without/b.pdf", "bananas");
  folder_.write("without/c.md", "cherries");
  fs::create_hard_link(folder_.path() / "before/a.pdf", folder_.path() / "without/a.pdf");
  lead_to("without");
  EXPECT_TRUE(mcph::test::eventually([&] { return host.has_said("PDFs are left out") && host.documents() == 2; }));
  folder_.write("still/d.md", "dates");
  for (const auto* const name : {"a.pdf", "b.pdf", "c.md"})
    fs::create_hard_link(folder_.path() / "without" / name, folder_.path() / "still" / name);
  lead_to("still");
  EXPECT_TRUE(mcph::test::eventually([&] { return host.documents() == 3; }));

  fs::rename(away, reader);
  fs::create_directory(folder_.path() / "after");
  for (const auto* const name : {"a.pdf", "b.pdf", "c.md", "d.md"})
    fs::create_hard_link(folder_.path() / "still" / name, folder_.path() / "after" / name);
  lead_to("after");
  EXPECT_TRUE(mcph::test::eventually([&] { return host.documents() == 4; }));
}

TEST(Knowledge, SaysThatTheFolderIsMissingAndDoesNotWaitForIt) {
  const mcph::test::TemporaryFolder folder;
  const auto docs = (folder.path() / "docs").string();
  mcp::testing::Harness harness(setup, {{"folder", docs}});
  const auto outcome = harness.call_tool("search_knowledge", {{"query", "apples"}});
  EXPECT_EQ(outcome.text(), "No document has these words.\nThe folder of the documents, " + docs +
                                ", does not exist. What was known of it before can be found.");
  EXPECT_EQ(outcome.structured()["indexing"], false);
}

TEST(KnowledgeConfiguration, NothingIsThereWithoutAFolder) {
  EXPECT_TRUE(mcp::testing::Harness(setup).describe()["tools"].empty());
}

}  // namespace
}  // namespace plugins::knowledge
