#include "config/watched_files.hpp"

#include <atomic>
#include <filesystem>
#include <new>

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using test::eventually;

// The point of these is the file system, so they wait for it.
class WatchedFilesTest : public ::testing::Test {
 protected:
  void watch() {
    watched_.watch({file_, temporary_.path() / "other"});
    watched_.run([this](bool changed) {
      if (changed) ++changes_;
      ++looks_;
    });
  }
  bool changes_come_to(int count) {
    return eventually([&] { return changes_ == count; });
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path file_ = temporary_.path() / "file";
  std::atomic<int> changes_{0};
  std::atomic<int> looks_{0};
  WatchedFiles watched_;
};

TEST_F(WatchedFilesTest, TellsOfAFileThatComesAndChangesAndGoes) {
  watch();
  temporary_.write("file", "1");
  EXPECT_TRUE(changes_come_to(1));
  temporary_.write("file", "22");
  EXPECT_TRUE(changes_come_to(2));
  std::filesystem::remove(file_);
  EXPECT_TRUE(changes_come_to(3));
}

TEST_F(WatchedFilesTest, TellsOfAFileThatTakesThePlaceOfAnother) {
  temporary_.write("file", "1");
  temporary_.write("next", "2");
  watch();
  std::filesystem::rename(temporary_.path() / "next", file_);
  EXPECT_TRUE(changes_come_to(1));
}

// As Kubernetes changes a configuration: the file is a link through one that changes.
TEST_F(WatchedFilesTest, TellsOfALinkThatLeadsElsewhere) {
  temporary_.write("first/file", "1");
  temporary_.write("second/file", "1");
  std::filesystem::create_directory_symlink("first", temporary_.path() / "data");
  std::filesystem::create_symlink("data/file", file_);
  watch();
  std::filesystem::create_directory_symlink("second", temporary_.path() / "data.new");
  std::filesystem::rename(temporary_.path() / "data.new", temporary_.path() / "data");
  EXPECT_TRUE(changes_come_to(1));
}

TEST_F(WatchedFilesTest, TellsOfNothingWhereNothingChanges) {
  temporary_.write("file", "1");
  watch();
  EXPECT_TRUE(eventually([&] { return looks_ >= 3; }));
  EXPECT_EQ(changes_, 0);
}

TEST_F(WatchedFilesTest, LooksNoMoreOnceItHasBeenStopped) {
  watch();
  watched_.stop();
  const auto looks = looks_.load();
  temporary_.write("file", "1");
  watched_.stop();
  EXPECT_EQ(looks_, looks);
}

TEST_F(WatchedFilesTest, TellsAgainOfAChangeThatThereWasNoMemoryFor) {
  std::atomic<int> told{0};
  watched_.watch({file_});
  watched_.run([&](bool changed) {
    if (changed && ++told == 1) throw std::bad_alloc();
    ++looks_;
  });
  temporary_.write("file", "1");
  EXPECT_TRUE(eventually([&] { return told == 2; }));
  const auto looks = looks_.load();
  EXPECT_TRUE(eventually([&] { return looks_ > looks + 1; }));
  watched_.stop();
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace mcph
