#include "shared/folder_watch.hpp"

#include <filesystem>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "eventually.hpp"
#include "temporary_folder.hpp"

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
  ~FolderWatchTest() override { watch_.reset(); }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  void watch(const std::string& name, std::size_t bound = FolderWatch::most_folders,
             FolderWatch::Events events = FolderWatch::Events::kernel) {
    watch_.emplace(std::vector{path(name)},
                   FolderWatch::Listener{.changed = [this](const std::string& changed) { add(changed_, changed); },
                                         .degraded = [this](const std::string& reason) { add(reasons_, reason); }},
                   bound, events);
  }
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

  mcph::test::TemporaryFolder folder_;
  std::set<std::string> changed_;
  std::set<std::string> reasons_;

 private:
  void add(std::set<std::string>& set, const std::string& text) {
    const std::lock_guard lock(mutex_);
    set.insert(text);
  }

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

TEST_F(FolderWatchTest, AwaitsAFolderThatIsNotThereYet) {
  watch("later");
  folder_.write("later/a.txt", "a");
  EXPECT_TRUE(is_told_when_written("later/a.txt"));
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
