#include "stores/file_store.hpp"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/regular_file.hpp"
#include "stores/file_stores.hpp"
#include "support/recording_log.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Kind = StoreOperation::Kind;

class FileStoreTest : public ::testing::Test {
 protected:
  // Each knows nothing of the others, as if another host had it.
  std::shared_ptr<PluginStore> open(const StoreLimits& limits = {}) {
    return FileStores(file_.parent_path(), log_).open(file_.filename(), limits);
  }

  static StoreAnswer put(PluginStore& store, const std::string& key, const std::string& value,
                         std::uint64_t if_revision = any_revision) {
    return store.perform({Kind::put, key, value, if_revision});
  }
  static StoreAnswer erase(PluginStore& store, const std::string& key, std::uint64_t if_revision = any_revision) {
    return store.perform({Kind::erase, key, {}, if_revision});
  }
  static StoreAnswer get(PluginStore& store, const std::string& key) { return store.perform({Kind::get, key}); }
  static std::string value(PluginStore& store, const std::string& key) {
    const auto answer = get(store, key);
    return answer.status == StoreStatus::done ? answer.text : "status " + std::to_string(int(answer.status));
  }
  static std::string keys(PluginStore& store, const std::string& prefix = {}) {
    return store.perform({Kind::list, prefix}).text;
  }
  std::string content() const {
    std::ifstream stream(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }

  const test::TemporaryFolder temporary_;
  const fs::path file_ = temporary_.path() / "stores" / "tools%2Fnotes";
  test::RecordingLog log_;
};

TEST_F(FileStoreTest, KeepsWhatIsPut) {
  const auto store = open();
  EXPECT_EQ(value(*store, "a"), "status 1");
  EXPECT_EQ(put(*store, "a", std::string("\0\xFF binary\n", 10)).status, StoreStatus::done);
  EXPECT_EQ(put(*store, "b", "").status, StoreStatus::done);
  EXPECT_EQ(value(*store, "a"), std::string("\0\xFF binary\n", 10));
  EXPECT_EQ(value(*store, "b"), "");
  EXPECT_EQ(put(*store, "a", "other").status, StoreStatus::done);
  EXPECT_EQ(value(*store, "a"), "other");
  EXPECT_EQ(erase(*store, "a").status, StoreStatus::done);
  EXPECT_EQ(erase(*store, "a").status, StoreStatus::absent);
  EXPECT_EQ(value(*store, "a"), "status 1");
}

TEST_F(FileStoreTest, HasItWhenItIsOpenedAgain) {
  put(*open(), "a", "1");
  put(*open(), "b", "2");
  erase(*open(), "a");
  const auto store = open();
  EXPECT_EQ(keys(*store), R"(["b"])");
  EXPECT_EQ(value(*store, "b"), "2");
}

TEST_F(FileStoreTest, ListsKeysByTheirBeginning) {
  const auto store = open();
  EXPECT_EQ(keys(*store), "[]");
  for (const auto* const key : {"user/b", "user/a", "users", "t"})
    put(*store, key, "");
  EXPECT_EQ(keys(*store), R"(["t","user/a","user/b","users"])");
  EXPECT_EQ(keys(*store, "user/"), R"(["user/a","user/b"])");
  EXPECT_EQ(keys(*store, "x"), "[]");
}

TEST_F(FileStoreTest, PutsOnlyAtTheRevisionThatIsMeant) {
  const auto store = open();
  const auto first = put(*store, "a", "1", 0);
  EXPECT_EQ(first.status, StoreStatus::done);
  EXPECT_NE(first.revision, 0U);
  const auto again = put(*store, "a", "2", 0);
  EXPECT_EQ(again.status, StoreStatus::changed);
  EXPECT_EQ(again.revision, first.revision);
  const auto second = put(*store, "a", "2", first.revision);
  EXPECT_GT(second.revision, first.revision);
  EXPECT_EQ(get(*store, "a").revision, second.revision);
  EXPECT_EQ(erase(*store, "a", first.revision).status, StoreStatus::changed);
  EXPECT_EQ(erase(*store, "a", second.revision).status, StoreStatus::done);
  EXPECT_GT(put(*open(), "a", "3", 0).revision, second.revision) << "never twice the same";
}

TEST_F(FileStoreTest, RefusesWhatCannotBeKept) {
  const auto store = open();
  EXPECT_EQ(put(*store, "", "1").status, StoreStatus::invalid);
  EXPECT_EQ(put(*store, std::string(257, 'k'), "1").status, StoreStatus::invalid);
  EXPECT_EQ(put(*store, "a\nb", "1").status, StoreStatus::invalid);
  EXPECT_EQ(put(*store, "\xFF", "1").status, StoreStatus::invalid);
  EXPECT_THAT(put(*store, "a", std::string(32'769, 'v')).text, HasSubstr("a value has at most 32768 bytes, not 32769"));
  EXPECT_EQ(put(*store, std::string(256, 'k'), std::string(32'768, 'v')).status, StoreStatus::done);
}

TEST_F(FileStoreTest, KeepsToItsLimits) {
  const auto store = open({.keys = 2, .bytes = 10});
  EXPECT_EQ(put(*store, "a", "1234").status, StoreStatus::done);
  EXPECT_EQ(put(*store, "b", "1234").status, StoreStatus::done);
  EXPECT_EQ(put(*store, "c", "").text, "there are 2 keys, as many as limits.storeKeys allows");
  const auto full = put(*store, "b", "12345");
  EXPECT_EQ(full.status, StoreStatus::full);
  EXPECT_EQ(full.text, "with it, keys and values would have 11 bytes, more than the 10 that limits.storeBytes allows");
  EXPECT_EQ(value(*store, "b"), "1234");
  EXPECT_EQ(put(*open({.keys = 0, .bytes = 0}), "b", "123").status, StoreStatus::done)
      << "which needs less than before";
  EXPECT_EQ(erase(*store, "a").status, StoreStatus::done);
}

TEST_F(FileStoreTest, SharesTheFileWithOthers) {
  const auto here = open();
  const auto there = open();
  put(*here, "a", "1");
  EXPECT_EQ(value(*there, "a"), "1");
  put(*there, "a", "2");
  put(*there, "b", "3");
  EXPECT_EQ(value(*here, "a"), "2");
  erase(*here, "a");
  EXPECT_EQ(keys(*there), R"(["b"])");
}

// The system gives the number of a file that is gone to the next one.
TEST_F(FileStoreTest, KnowsAnotherFileOfTheSameNumber) {
  const auto here = open();
  put(*here, "a", "1");
  const auto first = content();
  fs::remove(file_);
  const auto there = open();
  put(*there, "a", "2");
  const auto second = content();
  put(*there, "b", "3");
  const auto longer = content();

  for (const auto& other : {second, longer, first}) {
    write(first);
    EXPECT_EQ(value(*here, "a"), "1");
    write(other);
    EXPECT_EQ(value(*here, "a"), other == first ? "1" : "2");
    EXPECT_EQ(value(*here, "b"), other == longer ? "3" : "status 1");
  }
  EXPECT_EQ(log_.count("store damaged"), 0U);
}

TEST_F(FileStoreTest, LosesNoneOfWhatSeveralUpdateAtOnce) {
  constexpr int times = 50;
  const auto count = [this] {
    const auto store = open();
    for (int done = 0; done < times;) {
      const auto before = get(*store, "count");
      if (before.status == StoreStatus::failed) continue;  // the others have kept it busy for too long
      const auto next = before.text.empty() ? 1 : std::stoi(before.text) + 1;
      if (put(*store, "count", std::to_string(next), before.revision).status == StoreStatus::done) ++done;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(count);
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(value(*open(), "count"), std::to_string(4 * times));
}

TEST_F(FileStoreTest, IsWrittenAnewBeforeItGrowsForEver) {
  const auto store = open();
  put(*store, "other", "kept");
  const std::string large(10'000, 'v');
  std::uintmax_t most = 0;
  for (int i = 0; i < 100; ++i) {
    put(*store, "a", large + std::to_string(i));
    most = std::max(most, fs::file_size(file_));
  }
  EXPECT_LT(most, 200'000U);
  const auto again = open();
  EXPECT_EQ(value(*again, "a"), large + "99");
  EXPECT_EQ(value(*again, "other"), "kept");
  EXPECT_EQ(value(*store, "other"), "kept");
}

TEST_F(FileStoreTest, KeepsTheRecordAloneWhereItCannotBeWrittenAnewButNotForEver) {
  const auto store = open();
  const std::string large(1000, 'x');
  put(*store, "a", large);
  fs::create_directory(file_.native() + "%new");
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(put(*store, "a", large + std::to_string(i)).status, StoreStatus::done);
  EXPECT_GT(content().size(), 100 * large.size());
  EXPECT_EQ(value(*open(), "a"), large + "99");
  int further = 0;
  while (further < 1000 && put(*store, "a", large).status == StoreStatus::done)
    ++further;
  EXPECT_GT(further, 50);
  EXPECT_LT(content().size(), 300 * large.size());
  EXPECT_EQ(log_.count("store grows"), 1U);

  const auto long_size = content().size();
  fs::remove(file_.native() + "%new");
  EXPECT_EQ(put(*store, "a", "short").status, StoreStatus::done);
  EXPECT_LT(content().size(), long_size);
  EXPECT_EQ(value(*open(), "a"), "short");
}

TEST_F(FileStoreTest, LeavesNothingOfWhatItCouldNotWrite) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto store = open();
  const auto answer = put(*store, "a", std::string(5000, 'x'));
  put(*store, "a", std::string(5000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(answer.status, StoreStatus::failed);
  EXPECT_EQ(log_.count("store cannot be used"), 1U);
  EXPECT_FALSE(fs::exists(file_.native() + "%new"));
  EXPECT_EQ(put(*store, "a", "1").status, StoreStatus::done);
}

TEST_F(FileStoreTest, CutsOffWhatAProcessDidNotWriteToItsEnd) {
  put(*open(), "a", "1");
  const auto whole = content();
  put(*open(), "a", "2");
  const auto more = content();
  for (auto size = whole.size(); size < more.size(); ++size) {
    write(more.substr(0, size));
    const auto store = open();
    EXPECT_EQ(value(*store, "a"), "1") << size;
    EXPECT_EQ(content(), whole) << size;
    EXPECT_EQ(put(*store, "b", "3").status, StoreStatus::done);
    EXPECT_EQ(value(*open(), "b"), "3");
  }
  EXPECT_EQ(log_.count("store damaged"), 0U);
}

TEST_F(FileStoreTest, SetsADamagedFileAsideAndSaysSo) {
  put(*open(), "a", "1");
  put(*open(), "b", "2");
  auto damaged = content();
  damaged[damaged.find("\"a\"") + 1] = 'x';
  write(damaged);
  const auto store = open();
  EXPECT_EQ(value(*store, "a"), "status 1");
  EXPECT_EQ(log_.count("store damaged"), 1U);
  EXPECT_EQ(put(*store, "a", "3").status, StoreStatus::done);
  EXPECT_EQ(keys(*open()), R"(["a"])");
  std::size_t aside = 0;
  for (const auto& each : fs::directory_iterator(file_.parent_path()))
    aside += each.path().filename().string().starts_with("tools%2Fnotes.damaged-") ? 1U : 0U;
  EXPECT_EQ(aside, 1U);
}

TEST_F(FileStoreTest, SetsAsideWhatIsNoStore) {
  fs::create_directories(file_.parent_path());
  for (const std::string text : {"", "hello\n", "hello"}) {
    write(text);
    const auto store = open();
    EXPECT_EQ(keys(*store), "[]") << text;
    EXPECT_EQ(put(*store, "a", "1").status, StoreStatus::done) << text;
    EXPECT_EQ(value(*open(), "a"), "1") << text;
    fs::remove(file_);
  }
}

TEST_F(FileStoreTest, SaysWhyItCannotKeepAnything) {
  std::ofstream(temporary_.path() / "stores") << "a file";
  const auto store = open();
  const auto answer = put(*store, "a", "1");
  EXPECT_EQ(answer.status, StoreStatus::failed);
  EXPECT_THAT(answer.text, HasSubstr("stores/tools%2Fnotes%lock cannot be opened: Not a directory"));
  fs::remove(temporary_.path() / "stores");
  EXPECT_EQ(put(*store, "a", "1").status, StoreStatus::done) << "once it can";
}

TEST_F(FileStoreTest, FollowsNoLink) {
  fs::create_directories(file_.parent_path());
  const auto elsewhere = temporary_.path() / "elsewhere";
  std::ofstream(elsewhere) << "text";
  fs::create_symlink(elsewhere, file_);
  EXPECT_EQ(put(*open(), "a", "1").status, StoreStatus::failed);
  EXPECT_EQ(fs::file_size(elsewhere), 4U);
}

// A process that puts one value after another, and says so, is killed at any point.
TEST_F(FileStoreTest, HasAllThatHasBeenPutWhenItsProcessIsKilled) {
  int told = 0;
  for (int round = 0; round < 20; ++round) {
    const int before = told;
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const auto child = ::fork();
    if (child == 0) {
      const auto store = open();
      const std::string large(round % 2 == 0 ? 10 : 20'000, 'v');
      for (int i = told + 1;; ++i) {
        if (put(*store, "last", large + "/" + std::to_string(i)).status != StoreStatus::done) ::_exit(1);
        if (::write(ends[1], &i, sizeof i) != sizeof i) ::_exit(1);
      }
    }
    ::close(ends[1]);
    for (int i = 0; i < 5 + round && ::read(ends[0], &told, sizeof told) == sizeof told; ++i) {
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &told, sizeof told) == sizeof told) {
    }
    ::close(ends[0]);
    const auto kept = value(*open(), "last");
    const auto last = std::stoi(kept.substr(kept.find('/') + 1));
    EXPECT_GT(told, before) << "nothing has been put";
    EXPECT_TRUE(last == told || last == told + 1) << last << " where " << told << " had been told";
    told = last;
  }
  EXPECT_EQ(log_.count("store damaged"), 0U);
}

TEST_F(FileStoreTest, IsSharedByTheVersionsOfAPluginWithTheLimitsOfEach) {
  FileStores stores(temporary_.path(), log_);
  const auto serving = stores.open("tools%2Fnotes", {});
  const auto next = stores.open("tools%2Fnotes", {.keys = 0});
  EXPECT_EQ(put(*next, "a", "1").status, StoreStatus::full);
  EXPECT_EQ(put(*serving, "a", "1").status, StoreStatus::done) << "the next one may be refused";
  EXPECT_EQ(value(*next, "a"), "1");
  EXPECT_EQ(value(*stores.open("tools%2Fother", {}), "a"), "status 1");
}

// Who has a lease is signalled, and has the time that the system gives: 45 s as a rule.
TEST_F(FileStoreTest, WaitsAWhileForWhoHasALease) {
  const auto store = open();
  ASSERT_EQ(put(*store, "a", "1").status, StoreStatus::done);
  for (const auto& leased : {file_, fs::path(file_.native() + "%lock")}) {
    const auto file = open_to_read(leased);
    if (::fcntl(file.get(), F_SETSIG, SIGURG) != 0 || ::fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0)
      GTEST_SKIP() << "no leases here: " << last_error();
    const auto answer = put(*store, "b", "2");
    EXPECT_EQ(answer.status, StoreStatus::failed);
    EXPECT_THAT(answer.text, HasSubstr(leased.string() + " cannot be opened: Resource temporarily unavailable"));
  }
  EXPECT_EQ(put(*store, "b", "2").status, StoreStatus::done);
}

}  // namespace
}  // namespace mcph
