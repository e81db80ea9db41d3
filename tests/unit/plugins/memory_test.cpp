#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "memory/note_store.hpp"
#include "memory/setup.hpp"
#include "support/temporary_folder.hpp"

namespace plugins::memory {
namespace {

using testing::HasSubstr;

class Memory : public testing::Test {
 protected:
  void ada_calls() { harness_.set_caller({.id = "https://login.example.com#7", .name = "Ada"}); }
  void nobody_calls() { harness_.set_caller({}); }
  std::int64_t remembered(const std::string& text) {
    return mcp::parse_json(harness_.call_tool("remember", {{"text", text}}).text())["id"].get<std::int64_t>();
  }
  std::string recalled() { return harness_.call_tool("recall").text(); }

  mcp::testing::Harness harness_{setup, {{"enabled", true}}};
};

TEST_F(Memory, NotesAreOfWhoeverIsKnownToCall) {
  ada_calls();
  const auto id = remembered("the secret");
  EXPECT_THAT(recalled(), HasSubstr("the secret"));
  EXPECT_THAT(harness_.read("memory://notes/" + std::to_string(id)).text(), HasSubstr("the secret"));
  nobody_calls();
  EXPECT_EQ(recalled(), R"({"notes":[]})");
  EXPECT_EQ(harness_.read("memory://notes/" + std::to_string(id)).error_code(), -32002);
  EXPECT_EQ(harness_.call_tool("forget", {{"id", id}}).text(), "There is no note " + std::to_string(id));
  // No principal is called as those are who have proven nothing.
  EXPECT_TRUE(harness_.call_tool("remember", {{"text", "of anybody"}}).ok());
  harness_.set_caller({.id = "anonymous"});
  EXPECT_EQ(recalled(), R"({"notes":[]})");
}

TEST_F(Memory, SubscribersAreToldOfWhatIsForgotten) {
  const auto id = remembered("x");
  EXPECT_TRUE(harness_.call_tool("forget", {{"id", id}}).ok());
  EXPECT_THAT(harness_.updated_resources(), testing::ElementsAre("memory://notes/" + std::to_string(id)));
}

TEST_F(Memory, RefusesWhatIsNoNote) {
  EXPECT_THAT(harness_.call_tool("remember", {{"text", std::string("a\0b", 3)}}).text(), HasSubstr("no NUL"));
  EXPECT_THAT(harness_.call_tool("remember", {{"text", "x"}, {"tags", {""}}}).text(), HasSubstr("is no tag"));
  EXPECT_THAT(harness_.call_tool("remember", {{"text", "x"}, {"tags", {"a\nb"}}}).text(), HasSubstr("is no tag"));
}

TEST(MemoryConfiguration, NothingIsThereUnlessItIsAskedFor) {
  EXPECT_TRUE(mcp::testing::Harness(setup).describe()["tools"].empty());
  EXPECT_TRUE(mcp::testing::Harness(setup, {{"enabled", false}}).describe()["tools"].empty());
}

TEST(NoteStore, TheFileIsBounded) {
  const mcph::test::TemporaryFolder folder;
  NoteStore store((folder.path() / "notes.db").string(),
                  {.notes = 1000, .bytes = 100'000'000, .store_bytes = 1'048'576});
  try {
    for (int i = 0; i < 100; ++i)
      store.remember("ada", std::string(50'000, 'x'), {});
    FAIL() << "it took more than its limit";
  } catch (const StoreFull& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("more than 1048576 bytes, which is the limit of the store (maxStoreBytes), or the disk is full"));
  }
  EXPECT_FALSE(store.recall("ada", "", {}, 100).empty());
}

TEST(NoteStore, AFullStoreCanBeEmptied) {
  const mcph::test::TemporaryFolder folder;
  NoteStore store((folder.path() / "notes.db").string(),
                  {.notes = 100'000, .bytes = 100'000'000, .store_bytes = 1'048'576});
  std::vector<std::int64_t> ids;
  try {
    for (int i = 0;; ++i) {
      std::string text;
      for (int word = 0; word < 100; ++word)
        text += "word" + std::to_string(i * 100 + word) + ' ';
      ids.push_back(store.remember("ada", text, {}).id);
    }
  } catch (const StoreFull&) {
  }
  ASSERT_FALSE(ids.empty());
  for (const auto id : ids)
    EXPECT_TRUE(store.forget("ada", id));
  EXPECT_NO_THROW(store.remember("ada", "There is room again", {}));
}

TEST(NoteStore, SeveralMayUseOneFile) {
  const mcph::test::TemporaryFolder folder;
  const auto file = (folder.path() / "notes.db").string();
  NoteStore first(file, {});
  NoteStore second(file, {});
  first.remember("ada", "one", {"a"});
  second.remember("ada", "two", {"a"});
  EXPECT_EQ(first.recall("ada", "", {"a"}, 10).size(), 2U);
  EXPECT_EQ(second.tags("ada")[0].notes, 2);
}

std::vector<std::string> texts(NoteStore& store, const std::string& owner, std::string_view query,
                               const std::vector<std::string>& tags = {}) {
  std::vector<std::string> found;
  for (const auto& note : store.recall(owner, query, tags, 100))
    found.push_back(note.text);
  return found;
}

TEST(NoteStore, TheNotesOfOthersDoNotChangeARanking) {
  const mcph::test::TemporaryFolder folder;
  NoteStore store((folder.path() / "notes.db").string(), {});
  // For Ada "tea" is rare and "cup" is not, and for Bob it is the other way round.
  for (const auto* const text : {"tea", "cup one", "cup two", "cup three", "a cup and more words", "something else"})
    store.remember("ada", text, {});
  const auto alone = texts(store, "ada", "unheardof tea cup");
  ASSERT_EQ(alone.size(), 5U);
  EXPECT_EQ(alone.front(), "tea");
  for (int i = 0; i < 50; ++i)
    store.remember("bob", "tea " + std::string(static_cast<std::size_t>(i), 'x') + " and more of it", {"tea"});
  EXPECT_EQ(texts(store, "ada", "unheardof tea cup"), alone);
  EXPECT_EQ(texts(store, "bob", "cup tea").size(), 50U);
  EXPECT_EQ(texts(store, "eve", "tea").size(), 0U);
  EXPECT_TRUE(store.tags("ada").empty());
}

// One after the other they would tell how many notes others keep meanwhile.
TEST(NoteStore, IdsDoNotCountTheNotesOfOthers) {
  const mcph::test::TemporaryFolder folder;
  NoteStore store((folder.path() / "notes.db").string(), {});
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 10; ++i)
    ids.push_back(store.remember("ada", "x", {}).id);
  EXPECT_FALSE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(store.recall("ada", "", {}, 1)[0].id, ids.back());
}

TEST(NoteStore, WordsAreFoundWithoutCaseAndAccentsAndByTheirBeginning) {
  const mcph::test::TemporaryFolder folder;
  NoteStore store((folder.path() / "notes.db").string(), {});
  store.remember("ada", "Größer, e-mail", {"café au lait"});
  for (const auto* const query : {"GROSSER grö", "mail E", "\"e-mail\"", "Cafe", "größ", "lait größer"})
    EXPECT_EQ(texts(store, "ada", query).size(), 1U) << query;
  for (const auto* const query : {"rößer", "mai x", "OR*"}) {
    const auto id = store.remember("ada", "a newer one", {}).id;
    EXPECT_EQ(texts(store, "ada", std::string("größer ") + query).size(), 1U) << query;
    store.forget("ada", id);
  }
  EXPECT_TRUE(texts(store, "ada", "rößer").empty());
  EXPECT_TRUE(texts(store, "ada", "gr").empty()) << "too short for a beginning";
  EXPECT_EQ(texts(store, "ada", "größer", {"café au lait"}).size(), 1U);
  EXPECT_TRUE(texts(store, "ada", "größer", {"café"}).empty());
  for (const auto* const query : {"!!!", "\"*\" -"})
    EXPECT_TRUE(texts(store, "ada", query).empty()) << query;
  for (const auto* const query : {"", " \n"})
    EXPECT_EQ(texts(store, "ada", query).size(), 1U) << "no query: the newest";
  const std::string long_word(100'000, 'x');
  store.remember("ada", long_word, {});
  EXPECT_EQ(texts(store, "ada", long_word).size(), 1U);
}

TEST(NoteStore, TagsAreInLowerCaseInEveryScript) {
  const mcph::test::TemporaryFolder folder;
  NoteStore store((folder.path() / "notes.db").string(), {});
  EXPECT_THAT(store.remember("ada", "x", {"Übung-A", "übung-a", "ДОМ, 2", "-"}).tags,
              testing::ElementsAre("übung-a", "дом, 2", "-"));
  for (const auto* const tag : {"übung-a", "ÜBUNG-A", "Дом, 2", "-"})
    EXPECT_EQ(texts(store, "ada", "", {tag}).size(), 1U) << tag;
  EXPECT_TRUE(texts(store, "ada", "", {"ubung-a"}).empty()) << "accents count";
  EXPECT_EQ(store.tags("ada").size(), 3U);
}

TEST(NoteStore, TagsOfTheSecondFormatAreLowered) {
  const mcph::test::TemporaryFolder folder;
  const auto file = (folder.path() / "notes.db").string();
  NoteStore(file, {}).remember("ada", "x", {"übung", "a"});
  sqlite::Database(file).execute(
      "UPDATE notes SET tags = 'Übung' || char(10) || 'a'; UPDATE tags SET tag = 'Übung' WHERE tag <> 'a'; "
      "PRAGMA user_version = 2");
  NoteStore store(file, {});
  EXPECT_EQ(texts(store, "ada", "", {"Übung", "A"}).size(), 1U);
  EXPECT_EQ(store.tags("ada").size(), 2U);
  EXPECT_TRUE(store.forget("ada", store.recall("ada", "übung", {}, 1).at(0).id));
  EXPECT_TRUE(store.tags("ada").empty());
}

// As the first format had them.
TEST(NoteStore, NotesThatAreThereAreTakenOver) {
  const mcph::test::TemporaryFolder folder;
  const auto file = (folder.path() / "notes.db").string();
  sqlite::Database(file).execute(R"(
CREATE TABLE notes(
  id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, text TEXT NOT NULL, tags TEXT NOT NULL,
  bytes INTEGER NOT NULL, created INTEGER NOT NULL);
CREATE INDEX notes_of_owner ON notes(owner, id, bytes);
CREATE TABLE note_tags(note INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(note, tag)) WITHOUT ROWID;
CREATE INDEX notes_of_tag ON note_tags(tag, note);
CREATE VIRTUAL TABLE note_words USING fts5(
  text, tags, content = 'notes', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER note_kept AFTER INSERT ON notes BEGIN
  INSERT INTO note_words(rowid, text, tags) VALUES(new.id, new.text, new.tags);
END;
CREATE TRIGGER note_forgotten AFTER DELETE ON notes BEGIN
  INSERT INTO note_words(note_words, rowid, text, tags) VALUES('delete', old.id, old.text, old.tags);
  DELETE FROM note_tags WHERE note = old.id;
END;
INSERT INTO notes(owner, text, tags, bytes, created) VALUES('ada', 'tea', 'a' || char(10) || 'b', 6, 1768230058);
INSERT INTO note_tags VALUES(1, 'a'), (1, 'b');
INSERT INTO notes(owner, text, tags, bytes, created) VALUES('bob', 'coffee', '', 6, 1768230059);
)");
  for (int i = 0; i < 2; ++i) {
    NoteStore store(file, {});
    const auto notes = store.recall("ada", "tea", {"b"}, 10);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0].id, 1);
    EXPECT_EQ(notes[0].created, "2026-01-12T15:00:58Z");
    EXPECT_EQ(texts(store, "bob", "coffee").size(), 1U);
  }
  NoteStore store(file, {});
  EXPECT_TRUE(store.forget("ada", 1));
  EXPECT_TRUE(texts(store, "ada", "").empty());
}

}  // namespace
}  // namespace plugins::memory
