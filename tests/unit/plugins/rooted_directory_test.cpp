#include "shared/rooted_directory.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <stop_token>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace plugins {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

RelativePath path(std::string_view text) {
  return RelativePath::parse(text).value();
}

// A root with a file, beside a folder with a secret. Both ways of resolution must behave the same, except with links
// that stay below the root.
class RootedDirectoryTest : public testing::TestWithParam<Resolution> {
 protected:
  RootedDirectoryTest() {
    folder_.write("outside/secret.txt", "secret");
    folder_.write("root/a/file.txt", "content");
  }

  fs::path root() const { return folder_.path() / "root"; }
  fs::path outside() const { return folder_.path() / "outside"; }
  std::string content(const std::string& name) const { return directory_.read(path(name), 1000); }
  std::string error_of_read(const std::string& name) const {
    try {
      return "read: " + content(name);
    } catch (const FileError& error) {
      return error.what();
    }
  }

  mcph::test::TemporaryFolder folder_;
  RootedDirectory directory_{(folder_.path() / "root").string(), GetParam()};
};

TEST_P(RootedDirectoryTest, ReadsAFile) {
  EXPECT_EQ(content("a/file.txt"), "content");
}

TEST_P(RootedDirectoryTest, RefusesSymlinkThatLeavesTheRoot) {
  fs::create_symlink(outside() / "secret.txt", root() / "absolute");
  fs::create_symlink("../outside/secret.txt", root() / "relative");
  fs::create_symlink("../outside", root() / "folder");
  fs::create_symlink("absolute", root() / "chain");
  for (const char* name : {"absolute", "relative", "folder/secret.txt", "chain"}) {
    EXPECT_THROW(content(name), FileError) << name;
    EXPECT_THROW(directory_.append(path(name), "x", 1000), FileError) << name;
  }
  EXPECT_THROW(directory_.write(path("folder/new.txt"), "x"), FileError);
  EXPECT_THROW(directory_.make_folders(path("folder/new")), FileError);
  EXPECT_THROW(directory_.walk(path("folder"), {}, [](const WalkedEntry&) { return true; }), FileError);
  EXPECT_FALSE(fs::exists(outside() / "new.txt"));
  EXPECT_FALSE(fs::exists(outside() / "new"));
}

TEST_P(RootedDirectoryTest, RefusesTheLinksOfProc) {
  const RootedDirectory proc("/proc/self", GetParam());
  EXPECT_THROW(proc.read(path("root/etc/hostname"), 1000), FileError);
  EXPECT_THROW(proc.read(path("cwd/anything"), 1000), FileError);
}

TEST_P(RootedDirectoryTest, NeverReadsOutsideWhileAFolderIsSwappedForALink) {
  folder_.write("root/swapped/secret.txt", "harmless");
  const std::jthread attacker([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      fs::rename(root() / "swapped", root() / "kept");
      fs::create_symlink(outside(), root() / "swapped");
      fs::remove(root() / "swapped");
      fs::rename(root() / "kept", root() / "swapped");
    }
  });
  int reads = 0;
  // The attacker may have been stopped by the system while the link is there.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (int i = 0; i < 20000 || (reads == 0 && std::chrono::steady_clock::now() < until); ++i) {
    const std::string text = error_of_read("swapped/secret.txt");
    ASSERT_NE(text, "read: secret");
    if (text == "read: harmless") ++reads;
  }
  EXPECT_GT(reads, 0);
}

TEST_P(RootedDirectoryTest, RefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of_read("pipe"), "is not a regular file");
  EXPECT_EQ(error_of_read("a"), "is a folder, not a file");
  EXPECT_EQ(error_of_read("."), "is a folder, not a file");
  EXPECT_THROW(directory_.append(path("pipe"), "x", 1000), FileError);
  EXPECT_THROW(directory_.write(path("pipe"), "x"), FileError);
  EXPECT_THROW(directory_.write(path("a"), "x"), FileError);
  EXPECT_THROW(directory_.write(path("."), "x"), FileError);
}

TEST_P(RootedDirectoryTest, SaysWhatIsWrong) {
  EXPECT_EQ(error_of_read("missing.txt"), "does not exist");
  EXPECT_EQ(error_of_read("a/file.txt/x"), "is not a folder, or goes through something that is not a folder");
  EXPECT_EQ(error_of_read(std::string(300, 'x')), "is too long for a path");
}

TEST_P(RootedDirectoryTest, BoundsTheSizeOfAFileThatIsRead) {
  folder_.write("root/large", std::string(1001, 'x'));
  EXPECT_EQ(error_of_read("large"), "has 1001 bytes; the limit is 1000");
  folder_.write("root/large", std::string(1000, 'x'));
  EXPECT_EQ(content("large").size(), 1000U);
}

TEST_P(RootedDirectoryTest, BoundsTheSizeOfAFileThatDoesNotSayItsSize) {
  const RootedDirectory proc("/proc/self", GetParam());
  EXPECT_THROW(proc.read(path("status"), 10), FileError);
  EXPECT_GT(proc.read(path("status"), 100000).size(), 100U);
}

TEST_P(RootedDirectoryTest, WritesInPlaceOfAFileAndKeepsItsPermissions) {
  fs::permissions(root() / "a/file.txt", fs::perms(0640));
  directory_.write(path("a/file.txt"), "new");
  EXPECT_EQ(content("a/file.txt"), "new");
  EXPECT_EQ(fs::status(root() / "a/file.txt").permissions(), fs::perms(0640));
}

TEST_P(RootedDirectoryTest, WriteLeavesNothingBehindWhenItFails) {
  fs::create_symlink("file.txt", root() / "a/link");
  EXPECT_THROW(directory_.write(path("a/link"), "new"), FileError);
  EXPECT_EQ(content("a/file.txt"), "content");
  EXPECT_EQ(std::distance(fs::directory_iterator(root() / "a"), fs::directory_iterator()), 2);
}

TEST_P(RootedDirectoryTest, ReadersSeeTheOldContentOrTheNew) {
  const std::string one(900, '1');
  const std::string two(800, '2');
  directory_.write(path("file"), one);
  const std::jthread writer([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i)
      directory_.write(path("file"), i % 2 == 0 ? two : one);
  });
  for (int i = 0; i < 500; ++i) {
    const std::string text = content("file");
    ASSERT_TRUE(text == one || text == two) << text.size();
  }
}

TEST_P(RootedDirectoryTest, AppendsAndMakesTheFile) {
  directory_.append(path("log"), "one\n", 8);
  directory_.append(path("log"), "two\n", 8);
  EXPECT_EQ(content("log"), "one\ntwo\n");
  EXPECT_THROW(directory_.append(path("log"), "3", 8), FileError);
  EXPECT_EQ(content("log"), "one\ntwo\n");
}

// So that a part of it is written, as where the disk becomes full.
class ShortFiles {
 public:
  explicit ShortFiles(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &limit_before_);
    signal_before_ = std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit limit{bytes, limit_before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ShortFiles(const ShortFiles&) = delete;
  ShortFiles& operator=(const ShortFiles&) = delete;
  ~ShortFiles() {
    ::setrlimit(RLIMIT_FSIZE, &limit_before_);
    static_cast<void>(std::signal(SIGXFSZ, signal_before_));
  }

 private:
  ::rlimit limit_before_{};
  void (*signal_before_)(int) = SIG_DFL;
};

TEST_P(RootedDirectoryTest, AnAppendThatFailsLeavesNothing) {
  directory_.append(path("log"), "one\n", 1000);
  {
    const ShortFiles limit(10);
    EXPECT_THROW(directory_.append(path("log"), "two three four\n", 1000), FileError);
  }
  EXPECT_EQ(content("log"), "one\n");
}

TEST_P(RootedDirectoryTest, MakesFolders) {
  directory_.make_folders(path("a/b/c"));
  directory_.make_folders(path("a/b/c"));
  EXPECT_TRUE(fs::is_directory(root() / "a/b/c"));
  EXPECT_THROW(directory_.make_folders(path("a/file.txt/d")), FileError);
}

TEST_P(RootedDirectoryTest, WalksInOrderWithoutFollowingLinks) {
  fs::create_symlink("..", root() / "a/loop");
  folder_.write("root/b.txt", "");
  std::vector<std::string> seen;
  const auto visit = [&](const WalkedEntry& entry) {
    seen.push_back(entry.path.text());
    return true;
  };
  EXPECT_FALSE(directory_.walk({}, {.max_depth = 10}, visit).any());
  EXPECT_THAT(seen, ElementsAre("a", "a/file.txt", "a/loop", "b.txt"));
  seen.clear();
  EXPECT_FALSE(directory_.walk({}, {.max_depth = 1}, visit).any());
  EXPECT_THAT(seen, ElementsAre("a", "b.txt"));
}

TEST_P(RootedDirectoryTest, BoundsHowManyEntriesAWalkSees) {
  for (int i = 0; i < 20; ++i)
    folder_.write("root/many/" + std::to_string(i), "");
  std::size_t seen = 0;
  const auto visit = [&](const WalkedEntry&) { return ++seen > 0; };
  EXPECT_TRUE(directory_.walk(path("many"), {.max_depth = 1, .max_entries = 10}, visit).reached_limit);
  EXPECT_EQ(seen, 10U);
}

TEST_P(RootedDirectoryTest, SaysThatAWalkCouldNotSeeAllNow) {
  folder_.write("root/a/b/deep.txt", "");
  std::vector<std::string> seen;
  const auto visit = [&](const WalkedEntry& entry) {
    seen.push_back(entry.path.text());
    return true;
  };
  const int lowest = ::dup(STDIN_FILENO);
  ::close(lowest);
  rlimit limits{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limits), 0);
  const rlimit two_more{static_cast<rlim_t>(lowest) + 2, limits.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &two_more), 0);
  const auto gaps = directory_.walk({}, {.max_depth = 10}, visit);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limits), 0);
  EXPECT_TRUE(gaps.has_failed);
  EXPECT_FALSE(gaps.reached_limit);
  EXPECT_THAT(seen, ElementsAre("a", "a/b", "a/file.txt"));
}

TEST_P(RootedDirectoryTest, SaysThatTheRootIsMissing) {
  fs::remove_all(root());
  EXPECT_TRUE(directory_.why_unreadable().value().is_not_found());
  EXPECT_EQ(error_of_read("a/file.txt"), "is below a root that cannot be opened: No such file or directory");
}

INSTANTIATE_TEST_SUITE_P(Resolutions, RootedDirectoryTest, testing::Values(Resolution::kernel, Resolution::stepwise),
                         [](const auto& each) { return each.param == Resolution::kernel ? "Kernel" : "Stepwise"; });

TEST(RootedDirectory, KernelFollowsRelativeLinksThatStayBelowTheRoot) {
  if (::syscall(SYS_openat2, AT_FDCWD, ".", nullptr, 0) != 0 && errno == ENOSYS) GTEST_SKIP() << "an old kernel";
  const mcph::test::TemporaryFolder folder;
  folder.write("a/file.txt", "content");
  fs::create_symlink("a", folder.path() / "link");
  fs::create_symlink(folder.path() / "a", folder.path() / "absolute");
  const RootedDirectory directory(folder.path());
  EXPECT_EQ(directory.read(path("link/file.txt"), 1000), "content");
  try {
    directory.read(path("absolute/file.txt"), 1000);
    ADD_FAILURE() << "it was followed";
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "goes through a symbolic link that is absolute or leads out of its root");
  }
}

TEST(RootedDirectory, StepwiseRefusesEveryLink) {
  const mcph::test::TemporaryFolder folder;
  folder.write("a/file.txt", "content");
  fs::create_symlink("a", folder.path() / "folder");
  fs::create_symlink("a/file.txt", folder.path() / "file");
  const RootedDirectory directory(folder.path(), Resolution::stepwise);
  EXPECT_THROW(directory.read(path("folder/file.txt"), 1000), FileError);
  EXPECT_THROW(directory.read(path("file"), 1000), FileError);
}

TEST(RelativePathTest, ResolvesDotsByText) {
  EXPECT_EQ(path("a/./b//c/").text(), "a/b/c");
  EXPECT_EQ(path("a/../b").text(), "b");
  EXPECT_EQ(path("/a/b/..").text(), "a");
  EXPECT_EQ(path("").text(), ".");
  EXPECT_EQ(path("a/..").text(), ".");
}

TEST(RelativePathTest, LeadsNowhereAboveItsBeginning) {
  for (const char* text : {"..", "../a", "a/../..", "a/../../b", "/..", "./.."}) {
    EXPECT_EQ(RelativePath::parse(text), std::nullopt) << text;
  }
}

TEST(RelativePathTest, HasNoNul) {
  EXPECT_EQ(RelativePath::parse(std::string_view("a\0b", 3)), std::nullopt);
}

TEST(RelativePathTest, KnowsWhatIsBelowWhat) {
  EXPECT_EQ(path("a/b/c").below(path("a"))->text(), "b/c");
  EXPECT_EQ(path("a/b").below(path("a/b"))->text(), ".");
  EXPECT_EQ(path("a/bc").below(path("a/b")), std::nullopt);
  EXPECT_EQ(path("a").below(path("a/b")), std::nullopt);
}

}  // namespace
}  // namespace plugins
