#include "shared/sqlite.hpp"

#include <filesystem>
#include <string>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/file_lock.hpp"
#include "support/temporary_folder.hpp"

namespace plugins {
namespace {

class Sqlite : public testing::Test {
 protected:
  mcph::test::TemporaryFolder folder_;
  const std::string file_ = (folder_.path() / "x.db").string();
  sqlite::Database database_{file_};
};

TEST_F(Sqlite, KeepsEachValueAsItIsBound) {
  database_.execute("CREATE TABLE t(v)");
  auto insert = database_.prepare("INSERT INTO t VALUES(?)");
  insert.with(7).run();
  insert.with(1.5).run();
  insert.with(std::string("a\0b", 3)).run();
  insert.with(std::string_view()).run();
  insert.with(nullptr).run();
  auto rows = database_.prepare("SELECT v FROM t ORDER BY rowid");
  ASSERT_TRUE(rows.step());
  EXPECT_EQ(rows.integer(0), 7);
  ASSERT_TRUE(rows.step());
  EXPECT_EQ(rows.real(0), 1.5);
  ASSERT_TRUE(rows.step());
  EXPECT_EQ(rows.string(0), std::string("a\0b", 3));
  ASSERT_TRUE(rows.step());
  EXPECT_EQ(rows.string(0), "");
  EXPECT_EQ(rows.type(0), SQLITE_TEXT);
  ASSERT_TRUE(rows.step());
  EXPECT_EQ(rows.type(0), SQLITE_NULL);
  EXPECT_FALSE(rows.step());
}

TEST_F(Sqlite, UndoesWhatIsNotCommitted) {
  database_.execute("CREATE TABLE t(v)");
  {
    const sqlite::Transaction transaction(database_);
    database_.run("INSERT INTO t VALUES(1)");
  }
  EXPECT_EQ(database_.integer("SELECT count(*) FROM t"), 0);
  sqlite::Transaction transaction(database_);
  database_.run("INSERT INTO t VALUES(1)");
  transaction.commit();
  EXPECT_EQ(database_.integer("SELECT count(*) FROM t"), 1);
}

TEST_F(Sqlite, SaysWhatWentWrong) {
  EXPECT_THROW(database_.execute("nonsense"), sqlite::Error);
  EXPECT_THROW(sqlite::Database("/nowhere/x.db"), sqlite::Error);
  folder_.write("broken.db", std::string(5000, 'x'));
  try {
    sqlite::Database((folder_.path() / "broken.db").string()).execute("CREATE TABLE t(v)");
    FAIL() << "it is no database";
  } catch (const sqlite::Error& error) {
    EXPECT_TRUE(error.is_damaged()) << error.what();
  }
}

TEST_F(Sqlite, IsForNobodyElsesEyes) {
  database_.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(v)");
  for (const char* const end : {"", "-wal", "-shm"}) {
    struct stat status {};
    ASSERT_EQ(::stat((file_ + end).c_str(), &status), 0) << end;
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << end;
  }
}

TEST_F(Sqlite, QuotesNames) {
  EXPECT_EQ(sqlite::quoted_name("a\"; DROP TABLE t; --"), "\"a\"\"; DROP TABLE t; --\"");
}

TEST(FileLock, IsHeldByOneAtATimeAlsoInOneProcess) {
  const mcph::test::TemporaryFolder folder;
  const auto file = (folder.path() / "lock").string();
  {
    const auto first = FileLock::try_take(file);
    ASSERT_TRUE(first);
    EXPECT_FALSE(FileLock::try_take(file));
  }
  EXPECT_TRUE(FileLock::try_take(file));
}

TEST(FileLock, IsHeldBySeveralWhoShareIt) {
  const mcph::test::TemporaryFolder folder;
  const auto file = (folder.path() / "lock").string();
  {
    const auto first = FileLock::share(file);
    const auto second = FileLock::share(file);
    EXPECT_FALSE(FileLock::try_take(file));
  }
  EXPECT_TRUE(FileLock::try_take(file));
}

}  // namespace
}  // namespace plugins
