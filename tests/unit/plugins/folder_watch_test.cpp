#include "shared/folder_watch.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/temporary_folder.hpp"

namespace plugins {
namespace {

namespace fs = std::filesystem;
using mcph::test::eventually;

class FolderWatchTest : public testing::Test {
 protected:
  FolderWatchTest() {
    folder_.write("root/a.txt", "a");
    folder_.write("root/inner/b.txt", "b");
  }
  ~FolderWatchTest() override {
    go_on();
    watch_.reset();
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void watch(const std::string& name, std::size_t bound = FolderWatch::max_folders,
             FolderWatch::Events events = FolderWatch::Events::kernel) {
    watch_all({name}, bound, events);
  }
  void watch_all(const std::vector<std::string>& names, std::size_t bound = FolderWatch::max_folders,
                 FolderWatch::Events events = FolderWatch::Events::kernel) {
    std::vector<std::string> folders;
    for (const auto& name : names)
      folders.push_back(path(name));
    watch_.emplace(std::move(folders),
                   FolderWatch::Listener{.changed = [this](const std::string& changed) { hear(changed); },
                                         .degraded = [this](const std::string& reason) { add(reasons_, reason); }},
                   bound, events);
  }
  // Until go_on, the thread of the watch stands still in the middle of telling: what happens meanwhile, it finds done.
  void hold() {
    is_held_ = true;
    ASSERT_TRUE(eventually([&] {
      folder_.write("root/a.txt", "again");
      return is_standing_.load();
    }));
  }
  void go_on() { is_held_ = false; }
  bool has(const std::set<std::string>& set, const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return set.contains(text);
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    changed_.clear();
  }
  bool is_degraded() const {
    const std::lock_guard lock(mutex_);
    return !reasons_.empty();
  }
  // The watch begins on a thread of its own, so a change is made until it is heard.
  bool is_told(const std::string& name, const std::function<void()>& change) {
    return eventually([&] {
      change();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      return has(changed_, path(name));
    });
  }
  bool is_told_when_written(const std::string& name) {
    return is_told(name, [&] { folder_.write(name, "new"); });
  }

  std::ptrdiff_t count_told_below(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return std::count_if(changed_.begin(), changed_.end(),
                         [top = path(name) + '/'](const std::string& each) { return each.starts_with(top); });
  }

  mcph::test::TemporaryFolder folder_;
  std::set<std::string> changed_;
  std::set<std::string> reasons_;
  std::atomic<std::chrono::milliseconds> telling_takes_{};

 private:
  void hear(const std::string& changed) {
    while (is_held_) {
      is_standing_ = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(telling_takes_.load());
    add(changed_, changed);
  }
  void add(std::set<std::string>& set, const std::string& text) {
    const std::lock_guard lock(mutex_);
    set.insert(text);
  }

  std::atomic<bool> is_held_ = false;
  std::atomic<bool> is_standing_ = false;
  mutable std::mutex mutex_;

 protected:
  std::optional<FolderWatch> watch_;
};

TEST_F(FolderWatchTest, TellsWhatIsWrittenAtAnyDepth) {
  watch("root");
  EXPECT_TRUE(is_told_when_written("root/a.txt"));
  EXPECT_TRUE(is_told_when_written("root/inner/b.txt"));
  EXPECT_TRUE(is_told_when_written("root/new.txt"));
  EXPECT_FALSE(is_degraded());
}

TEST_F(FolderWatchTest, TellsWhatIsMovedAndRemoved) {
  watch("root");
  ASSERT_TRUE(is_told_when_written("root/a.txt"));
  fs::rename(path("root/inner/b.txt"), path("root/c.txt"));
  EXPECT_TRUE(eventually([&] { return has(changed_, path("root/inner/b.txt")) && has(changed_, path("root/c.txt")); }));
  folder_.write("root/gone.txt", "x");
  ASSERT_TRUE(eventually([&] { return has(changed_, path("root/gone.txt")); }));
  forget();
  fs::remove(path("root/gone.txt"));
  EXPECT_TRUE(eventually([&] { return has(changed_, path("root/gone.txt")); }));
}

TEST_F(FolderWatchTest, FollowsNewFoldersWithWhatTheyBring) {
  watch("root");
  ASSERT_TRUE(is_told_when_written("root/a.txt"));
  folder_.write("elsewhere/deep/d.txt", "d");
  fs::rename(path("elsewhere"), path("root/moved"));
  EXPECT_TRUE(eventually([&] { return has(changed_, path("root/moved/deep/d.txt")); }));
  EXPECT_TRUE(is_told_when_written("root/moved/deep/e.txt"));
  // Under its new name only.
  fs::rename(path("root/moved"), path("root/renamed"));
  EXPECT_TRUE(is_told_when_written("root/renamed/deep/e.txt"));
}

TEST_F(FolderWatchTest, ForgetsARemovedFolderAndNoneWhoseNameBeginsLikeIts) {
  for (const auto* const file : {"root/a/deep/b.txt", "root/a-b/c.txt", "root/a0/d.txt"})
    folder_.write(file, "x");
  watch("root");
  ASSERT_TRUE(is_told_when_written("root/a/deep/b.txt"));
  fs::remove_all(path("root/a"));
  ASSERT_TRUE(eventually([&] { return has(changed_, path("root/a")); }));
  forget();
  EXPECT_TRUE(is_told_when_written("root/a-b/c.txt"));
  EXPECT_TRUE(is_told_when_written("root/a0/d.txt"));
  EXPECT_TRUE(is_told_when_written("root/a/deep/b.txt"));
}

TEST_F(FolderWatchTest, AwaitsAFolderThatIsNotThereYet) {
  watch("later");
  folder_.write("later/a.txt", "a");
  EXPECT_TRUE(is_told_when_written("later/a.txt"));
}

TEST_F(FolderWatchTest, TellsAFolderWhenItsWatchHasBegun) {
  watch("root");
  EXPECT_TRUE(eventually([&] { return has(changed_, path("root")); }));
  EXPECT_FALSE(has(changed_, path("root/a.txt")));
}

TEST_F(FolderWatchTest, TellsAFolderThatHasComeBackWithWhatIsInIt) {
  watch("root");
  ASSERT_TRUE(is_told_when_written("root/a.txt"));
  fs::rename(path("root"), path("away"));
  folder_.write("away/inner/late.txt", "l");
  forget();
  fs::rename(path("away"), path("root"));
  EXPECT_TRUE(eventually([&] { return has(changed_, path("root")) && has(changed_, path("root/inner/late.txt")); }));
}

TEST_F(FolderWatchTest, DoesNotFollowLinks) {
  folder_.write("outside/secret.txt", "s");
  fs::create_directory_symlink(path("outside"), path("root/link"));
  watch("root");
  ASSERT_TRUE(is_told_when_written("root/a.txt"));
  folder_.write("outside/secret.txt", "t");
  ASSERT_TRUE(is_told_when_written("root/inner/b.txt"));
  EXPECT_FALSE(has(changed_, path("root/link/secret.txt")));
}

TEST_F(FolderWatchTest, DoesNotFollowALinkThatTookThePlaceOfANewFolder) {
  folder_.write("outside/secret.txt", "s");
  watch("root");
  hold();
  fs::create_directory(path("root/new"));
  fs::remove(path("root/new"));
  fs::create_directory_symlink(path("outside"), path("root/new"));
  go_on();
  ASSERT_TRUE(is_told_when_written("root/inner/b.txt"));
  forget();
  folder_.write("outside/secret.txt", "t");
  ASSERT_TRUE(is_told_when_written("root/a.txt"));
  EXPECT_FALSE(has(changed_, path("root/new/secret.txt")));
}

TEST_F(FolderWatchTest, TellsAFileByEachOfTheFoldersThatLeadToIt) {
  fs::create_directory_symlink(path("root"), path("same"));
  fs::create_directory_symlink(path("root/inner"), path("part"));
  watch_all({"root", "same", "part"});
  for (const auto* const file : {"root/inner/b.txt", "same/inner/b.txt", "part/b.txt"}) {
    forget();
    EXPECT_TRUE(is_told(file, [&] { folder_.write("root/inner/b.txt", "new"); })) << file;
  }
  EXPECT_TRUE(is_told("same/a.txt", [&] { folder_.write("root/a.txt", "new"); }));
  EXPECT_FALSE(is_degraded());
}

TEST_F(FolderWatchTest, FollowsARenamedFolderThatWasGivenByAnotherPath) {
  fs::create_directory_symlink(path("root/inner"), path("part"));
  watch_all({"root", "part"});
  ASSERT_TRUE(is_told("part/b.txt", [&] { folder_.write("root/inner/b.txt", "new"); }));
  fs::rename(path("root/inner"), path("root/renamed"));
  EXPECT_TRUE(eventually([&] { return has(changed_, path("root/renamed/b.txt")); }));
  ASSERT_TRUE(is_told_when_written("root/a.txt"));
  EXPECT_TRUE(is_told_when_written("root/renamed/c.txt"));
  // Where the link leads there is a folder again.
  EXPECT_TRUE(is_told("part/d.txt", [&] { folder_.write("root/inner/d.txt", "d"); }));
}

TEST_F(FolderWatchTest, LooksAnewWhenTheKernelDroppedEvents) {
  std::size_t limit = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> limit;
  if (limit == 0 || limit > 100'000) GTEST_SKIP() << "the queue is too long to fill it";
  watch("root");
  hold();
  for (std::size_t i = 0; i < limit / 2 + 10; ++i) {
    // Two names in turn, because the kernel merges equal events.
    fs::rename(path(i % 2 == 0 ? "root/a.txt" : "root/z.txt"), path(i % 2 == 0 ? "root/z.txt" : "root/a.txt"));
  }
  folder_.write("root/inner/late.txt", "l");
  folder_.write("root/new/deep/c.txt", "c");
  fs::rename(path("root/inner"), path("root/renamed"));
  go_on();
  EXPECT_TRUE(eventually([&] { return has(changed_, path("root/renamed/late.txt")); }));
  EXPECT_TRUE(eventually([&] { return has(changed_, path("root/new/deep/c.txt")); }));
  EXPECT_TRUE(is_told_when_written("root/renamed/b.txt"));
  EXPECT_TRUE(is_told_when_written("root/new/deep/d.txt"));
  EXPECT_FALSE(has(changed_, path("root/inner/b.txt")));
  // From then on it tells all again.
  EXPECT_FALSE(is_degraded());
}

TEST_F(FolderWatchTest, StopsInTheMiddleOfAWalk) {
  constexpr int files = 300;
  for (int i = 0; i < files; ++i)
    folder_.write("elsewhere/" + std::to_string(i) + ".txt", "x");
  watch("root");
  ASSERT_TRUE(is_told_when_written("root/a.txt"));
  telling_takes_ = std::chrono::milliseconds(100);
  fs::rename(path("elsewhere"), path("root/moved"));
  ASSERT_TRUE(eventually([&] { return count_told_below("root/moved") > 0; }));
  watch_.reset();
  EXPECT_LT(count_told_below("root/moved"), files);
}

TEST_F(FolderWatchTest, SaysThatItsBoundIsReached) {
  watch("root", 1);
  EXPECT_TRUE(is_told_when_written("root/a.txt"));
  EXPECT_TRUE(has(reasons_, "only 1 folders are watched; what changes in others is not told"));
}

TEST_F(FolderWatchTest, SaysThatThereAreNoEvents) {
  watch("root", 1, FolderWatch::Events::none);
  EXPECT_TRUE(eventually([&] { return has(reasons_, "file events cannot be had"); }));
}

}  // namespace
}  // namespace plugins
