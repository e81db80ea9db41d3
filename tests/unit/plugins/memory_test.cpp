#include <string>

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
  std::string recalled() { return harness_.call_tool("recall").text(); }

  mcp::testing::Harness harness_{setup, {{"enabled", true}}};
};

TEST_F(Memory, NotesAreOfWhoeverIsKnownToCall) {
  ada_calls();
  EXPECT_TRUE(harness_.call_tool("remember", {{"text", "the secret"}}).ok());
  EXPECT_THAT(recalled(), HasSubstr("the secret"));
  nobody_calls();
  EXPECT_EQ(recalled(), R"({"notes":[]})");
  EXPECT_EQ(harness_.read("memory://notes/1").error_code(), -32002);
  EXPECT_EQ(harness_.call_tool("forget", {{"id", 1}}).text(), "There is no note 1");
  // No principal is called as those are who have proven nothing.
  EXPECT_TRUE(harness_.call_tool("remember", {{"text", "of anybody"}}).ok());
  harness_.set_caller({.id = "anonymous"});
  EXPECT_EQ(recalled(), R"({"notes":[]})");
}

TEST_F(Memory, SubscribersAreToldOfWhatIsForgotten) {
  harness_.call_tool("remember", {{"text", "x"}});
  EXPECT_TRUE(harness_.call_tool("forget", {{"id", 1}}).ok());
  EXPECT_THAT(harness_.updated_resources(), testing::ElementsAre("memory://notes/1"));
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
    EXPECT_THAT(error.what(), HasSubstr("1048576 bytes, which is the limit of the store"));
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

}  // namespace
}  // namespace plugins::memory
