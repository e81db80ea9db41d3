#include "sources/folder/folder_watch.hpp"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <sched.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto long_enough = test::patience;
constexpr auto a_day = 24h;

class FolderWatchTest : public ::testing::Test {
 protected:
  fs::path root() const { return temporary_.path(); }
  fs::path tools() const { return root() / "tools"; }
  void write(const fs::path& name, std::string_view content = "x") const { temporary_.write(name, content); }

  // As the control loop does: watches until nothing new has been seen.
  void watch(const std::vector<fs::path>& folders) {
    do {
      watch_->watch(folders);
    } while (watch_->wait(0ms));
  }

  // Says whether the change is noticed, and records after how long.
  bool notices(const std::function<void()>& change) {
    Clock::time_point changed;
    std::thread changer([&] {
      std::this_thread::sleep_for(10ms);
      changed = Clock::now();
      change();
    });
    const bool hint = watch_->wait(long_enough);
    const auto end = Clock::now();
    changer.join();
    RecordProperty("noticed_after_us",
                   std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(end - changed).count()));
    return hint;
  }

  // Everything that has been said so far is no longer news.
  void settle() {
    while (watch_->wait(20ms)) {
    }
  }

  test::TemporaryFolder temporary_;
  std::unique_ptr<FolderWatch> watch_ = FolderWatch::create();
};

TEST_F(FolderWatchTest, NoticesANewFile) {
  fs::create_directory(tools());
  watch({tools()});
  EXPECT_TRUE(notices([&] { write("tools/a.so"); }));
  EXPECT_EQ(watch_->degraded_reason(), "");
}

TEST_F(FolderWatchTest, NoticesAFileThatIsOverwrittenInPlace) {
  write("tools/a.so");
  watch({tools()});
  EXPECT_TRUE(notices([&] { write("tools/a.so", "y"); }));
}

TEST_F(FolderWatchTest, NoticesAFileThatIsRenamedOverAnother) {
  write("tools/a.so");
  write("incoming.so");
  watch({tools()});
  EXPECT_TRUE(notices([&] { fs::rename(root() / "incoming.so", tools() / "a.so"); }));
}

TEST_F(FolderWatchTest, NoticesALinkThatIsSwitched) {
  write("1.so");
  write("2.so");
  fs::create_directory(tools());
  fs::create_symlink("../1.so", tools() / "a.so");
  watch({tools()});
  EXPECT_TRUE(notices([&] {
    fs::create_symlink("../2.so", tools() / ".new");
    fs::rename(tools() / ".new", tools() / "a.so");
  }));
}

TEST_F(FolderWatchTest, NoticesADeletedFile) {
  write("tools/a.so");
  watch({tools()});
  EXPECT_TRUE(notices([&] { fs::remove(tools() / "a.so"); }));
}

TEST_F(FolderWatchTest, NoticesThatAFileMayNowBeRead) {
  write("tools/a.so");
  watch({tools()});
  EXPECT_TRUE(notices([&] { fs::permissions(tools() / "a.so", fs::perms::all); }));
}

TEST_F(FolderWatchTest, NoticesAWatchedFolderBeingRemovedAndMadeAgain) {
  fs::create_directory(tools());
  watch({tools()});
  EXPECT_TRUE(notices([&] { fs::remove_all(tools()); }));
  watch({tools()});
  EXPECT_TRUE(notices([&] { fs::create_directory(tools()); }));
  watch({tools()});
  EXPECT_TRUE(notices([&] { write("tools/a.so"); }));
}

TEST_F(FolderWatchTest, NoticesAFolderThatTakesThePlaceOfAWatchedOne) {
  write("tools/a.so");
  write("next/a.so");
  watch({tools()});
  EXPECT_TRUE(notices([&] {
    fs::rename(tools(), root() / "old");
    fs::rename(root() / "next", tools());
  }));
  watch({tools()});
  EXPECT_TRUE(notices([&] { write("tools/a.so", "y"); }));
  watch({tools()});
  write("old/a.so", "y");
  EXPECT_FALSE(watch_->wait(50ms)) << "the old folder is forgotten";
}

TEST_F(FolderWatchTest, NoticesALinkedFolderBeingSwitched) {
  write("releases/1/a.so");
  write("releases/2/a.so");
  fs::create_directory_symlink("releases/1", tools());
  watch({tools()});
  EXPECT_TRUE(notices([&] {
    fs::create_directory_symlink("releases/2", root() / "new");
    fs::rename(root() / "new", tools());
  }));
  watch({tools()});
  EXPECT_TRUE(notices([&] { write("releases/2/a.so", "y"); }));
}

TEST_F(FolderWatchTest, AwaitsAFolderThatDoesNotExistYetThroughItsNearestParent) {
  const auto deep = root() / "a/b/tools";
  watch({deep});
  EXPECT_TRUE(notices([&] { fs::create_directories(deep); }));
  watch({deep});
  EXPECT_TRUE(notices([&] { write("a/b/tools/a.so"); }));
}

TEST_F(FolderWatchTest, DoesNotCareAboutOtherNamesInTheParentOfAFolder) {
  watch({tools()});
  write("unrelated");
  fs::create_directory(root() / "other");
  EXPECT_FALSE(watch_->wait(50ms));
  fs::create_directory(tools());
  watch({tools()});
  write("unrelated", "y");
  EXPECT_FALSE(watch_->wait(50ms));
}

TEST_F(FolderWatchTest, TakesManyChangesForOneHint) {
  fs::create_directory(tools());
  watch({tools()});
  for (int i = 0; i < 200; ++i)
    write("tools/" + std::to_string(i) + ".so");
  EXPECT_TRUE(watch_->wait(long_enough));
  EXPECT_FALSE(watch_->wait(50ms));
}

TEST_F(FolderWatchTest, TakesAnOverflowOfTheQueueForAHint) {
  write("tools/a.so");
  watch({tools()});
  std::size_t limit = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> limit;
  if (limit == 0 || limit > 100'000) GTEST_SKIP() << "the queue is too long to fill it";
  for (std::size_t i = 0; i < limit + 10; ++i) {
    // Two names in turn, because the kernel merges equal events.
    fs::rename(tools() / (i % 2 == 0 ? "a.so" : "b.so"), tools() / (i % 2 == 0 ? "b.so" : "a.so"));
  }
  EXPECT_TRUE(watch_->wait(long_enough));
  settle();
  EXPECT_TRUE(notices([&] { write("tools/c.so"); })) << "it goes on after an overflow";
}

TEST_F(FolderWatchTest, CountsAFolderNotWatchedBeforeAsChanged) {
  fs::create_directory(tools());
  watch_->watch({tools()});
  EXPECT_TRUE(watch_->wait(0ms));
  watch_->watch({tools()});
  EXPECT_FALSE(watch_->wait(0ms));
}

TEST_F(FolderWatchTest, ForgetsFoldersThatAreNoLongerNamed) {
  fs::create_directories(root() / "sub/other");
  fs::create_directory(tools());
  watch({tools(), root() / "sub/other"});
  watch({tools()});
  write("sub/other/a.so");
  EXPECT_FALSE(watch_->wait(50ms));
}

TEST_F(FolderWatchTest, WatchesAFolderThatIsNamedInTwoWays) {
  fs::create_directory(tools());
  fs::create_directory_symlink("tools", root() / "link");
  watch({tools(), root() / "link"});
  watch({tools()});
  EXPECT_TRUE(notices([&] { write("tools/a.so"); }));
}

TEST_F(FolderWatchTest, WatchesARelativePath) {
  fs::create_directory(tools());
  const auto before = fs::current_path();
  fs::current_path(root());
  watch({"tools/"});
  fs::current_path(before);
  EXPECT_TRUE(notices([&] { write("tools/a.so"); }));
}

TEST_F(FolderWatchTest, EndsItsWaitWhenTheTimeIsUp) {
  fs::create_directory(tools());
  watch({tools()});
  const auto start = Clock::now();
  EXPECT_FALSE(watch_->wait(30ms));
  EXPECT_GE(Clock::now() - start, 30ms);
}

TEST_F(FolderWatchTest, IsWokenFromAnotherThread) {
  watch({root()});
  std::thread waker([&] {
    std::this_thread::sleep_for(10ms);
    watch_->wake();
  });
  EXPECT_FALSE(watch_->wait(a_day));
  waker.join();
}

TEST_F(FolderWatchTest, RemembersAWakeUntilTheNextWait) {
  watch({root()});
  watch_->wake();
  watch_->wake();
  EXPECT_FALSE(watch_->wait(a_day));
  const auto start = Clock::now();
  EXPECT_FALSE(watch_->wait(30ms)) << "two wakes are one";
  EXPECT_GE(Clock::now() - start, 30ms);
}

TEST_F(FolderWatchTest, PausesWhateverHappensAndTellsOfItAfterwards) {
  watch({root()});
  write("a.so");
  const auto start = Clock::now();
  watch_->pause(50ms);
  EXPECT_GE(Clock::now() - start, 50ms);
  EXPECT_TRUE(watch_->wait(0ms));
}

TEST_F(FolderWatchTest, EndsItsPauseAndTheNextWaitByAWake) {
  watch({root()});
  std::thread waker([&] {
    std::this_thread::sleep_for(10ms);
    watch_->wake();
  });
  watch_->pause(a_day);
  EXPECT_FALSE(watch_->wait(a_day));
  waker.join();
  watch_->pause(0ms);
  watch_->pause(-1ms);
}

TEST(PollingWatchTest, EndsItsPauseAndTheNextWaitByAWake) {
  PollingWatch polling("a test has none");
  polling.pause(1ms);
  polling.wake();
  polling.pause(a_day);
  EXPECT_FALSE(polling.wait(a_day));
}

TEST_F(FolderWatchTest, LeavesNoDescriptorOpenAndPassesNoneOn) {
  const auto open_descriptors = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); };
  const auto before = open_descriptors();
  {
    const auto other = FolderWatch::create();
    other->watch({root()});
    EXPECT_EQ(open_descriptors(), before + 2);
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (!fs::read_symlink(entry.path(), gone).string().starts_with("anon_inode:")) continue;
      EXPECT_EQ(::fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    }
  }
  EXPECT_EQ(open_descriptors(), before);
}

// The limits of a user namespace of its own, so that nobody else meets them. Runs in a process of its own.
class Limits {
 public:
  static constexpr int cannot_be_tried = 2;

  Limits() {
    if (::unshare(CLONE_NEWUSER) != 0) std::_Exit(cannot_be_tried);
  }
  void set(const std::string& name, int value) const {
    std::ofstream file("/proc/sys/user/" + name);
    if (!(file << value << std::flush)) std::_Exit(cannot_be_tried);
  }
};

[[noreturn]] void watch_without_inotify() {
  const Limits limits;
  limits.set("max_inotify_instances", 0);
  const auto watch = FolderWatch::create();
  const bool told = watch->degraded_reason().find("raise fs.inotify.max_user_instances") != std::string::npos;
  const bool polls = !watch->wait(1ms);
  watch->wake();
  const bool wakes = !watch->wait(a_day);
  std::_Exit(told && polls && wakes ? 0 : 1);
}

[[noreturn]] void watch_beyond_the_limit(const fs::path& folder) {
  const Limits limits;
  limits.set("max_inotify_watches", 0);
  const auto watch = FolderWatch::create();
  watch->watch({folder});
  const bool told = watch->degraded_reason().find("raise fs.inotify.max_user_watches") != std::string::npos;
  const bool polls = !watch->wait(1ms);
  limits.set("max_inotify_watches", 100);
  watch->watch({folder});
  const bool recovers = watch->degraded_reason().empty() && watch->wait(1ms);
  std::_Exit(told && polls && recovers ? 0 : 1);
}

// Accepts the end of a process if it went well or could not be tried, and keeps its status.
auto not_failed(int& status) {
  return [&status](int ended) {
    status = WEXITSTATUS(ended);
    return WIFEXITED(ended) && (status == 0 || status == Limits::cannot_be_tried);
  };
}

TEST(FolderWatchDeathTest, FallsBackToPollingWhereInotifyCannotBeHad) {
  int status = 0;
  EXPECT_EXIT(watch_without_inotify(), not_failed(status), "");
  if (status == Limits::cannot_be_tried) GTEST_SKIP() << "needs the right to make a user namespace";
}

TEST(FolderWatchDeathTest, SaysThatTheLimitOfWatchesIsReachedAndRecovers) {
  const test::TemporaryFolder folder;
  int status = 0;
  EXPECT_EXIT(watch_beyond_the_limit(folder.path()), not_failed(status), "");
  if (status == Limits::cannot_be_tried) GTEST_SKIP() << "needs the right to make a user namespace";
}

TEST(PollingWatchTest, GivesNoHintsAndSaysWhy) {
  PollingWatch watch("no events here");
  watch.watch({"/"});
  EXPECT_EQ(watch.degraded_reason(), "no events here");
  const auto start = Clock::now();
  EXPECT_FALSE(watch.wait(20ms));
  EXPECT_GE(Clock::now() - start, 20ms);
}

TEST(PollingWatchTest, IsWokenFromAnotherThread) {
  PollingWatch watch("");
  std::thread waker([&] { watch.wake(); });
  EXPECT_FALSE(watch.wait(a_day));
  waker.join();
}

}  // namespace
}  // namespace mcph
