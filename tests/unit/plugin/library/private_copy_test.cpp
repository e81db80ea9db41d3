#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/library/library_file.hpp"
#include "plugin/library/private_folder.hpp"
#include "support/eventually.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

::mode_t permissions_of(const fs::path& file) {
  struct ::stat status {};
  EXPECT_EQ(::stat(file.c_str(), &status), 0);
  return status.st_mode & 07777;
}

class PrivateCopyTest : public ::testing::Test {
 protected:
  PrivateFolder make_folder() {
    auto folder = PrivateFolder::create({parent()});
    if (!folder) throw std::runtime_error(folder.error().message);
    return std::move(*folder);
  }
  fs::path parent() const { return temporary_.path(); }

  test::TemporaryFolder temporary_;
};

using PrivateFolderTest = PrivateCopyTest;
using PrivateFolderDeathTest = PrivateCopyTest;

TEST_F(PrivateCopyTest, HoldsTheBytesOfItsSource) {
  auto folder = make_folder();
  const std::string bytes(1'000'000, 'x');
  const auto copy = folder.copy(temporary_.write("plugin.so", bytes));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_TRUE(content_of(copy->path()) == bytes);
  EXPECT_EQ(copy->source_identity().size, bytes.size());
}

TEST_F(PrivateCopyTest, KeepsItsBytesWhenTheSourceIsOverwritten) {
  auto folder = make_folder();
  const auto source = temporary_.write("plugin.so", "version 1");
  const auto copy = folder.copy(source);
  ASSERT_TRUE(copy);
  temporary_.write("plugin.so", "version 2");
  EXPECT_EQ(content_of(copy->path()), "version 1");
}

TEST_F(PrivateCopyTest, HasAPathOfItsOwnEvenForTheSameBytes) {
  auto folder = make_folder();
  const auto source = temporary_.write("calculator.so", "the same");
  const auto first = folder.copy(source);
  const auto second = folder.copy(source);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->path(), second->path());
  EXPECT_EQ(first->digest(), second->digest());
  EXPECT_THAT(first->path().filename().string(), AllOf(StartsWith("calculator.1."), EndsWith(".so")));
  EXPECT_THAT(second->path().filename().string(), StartsWith("calculator.2."));
}

TEST_F(PrivateCopyTest, HasTheSha256DigestOfItsBytes) {
  auto folder = make_folder();
  const auto copy = folder.copy(temporary_.write("a.so", "abc"));
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->digest(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-4
  EXPECT_THAT(copy->path().filename().string(), HasSubstr("ba7816bf8f01cfea"));
}

TEST_F(PrivateCopyTest, CanBeReadAndRunByItsOwnerOnly) {
  auto folder = make_folder();
  const auto copy = folder.copy(temporary_.write("a.so", "x"));
  ASSERT_TRUE(copy);
  EXPECT_EQ(permissions_of(copy->path()), 0500U);
  EXPECT_EQ(permissions_of(folder.path()), 0700U);
}

TEST_F(PrivateCopyTest, IsDeletedWithItsOwner) {
  auto folder = make_folder();
  fs::path path;
  {
    auto copy = folder.copy(temporary_.write("a.so", "x"));
    ASSERT_TRUE(copy);
    path = copy->path();
    const PrivateCopy moved = std::move(*copy);
    EXPECT_EQ(moved.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PrivateCopyTest, IsDeletedWhenAnotherTakesItsPlace) {
  auto folder = make_folder();
  auto current = folder.copy(temporary_.write("a.so", "1"));
  auto next = folder.copy(temporary_.write("a.so", "2"));
  ASSERT_TRUE(current && next);
  const auto old_path = current->path();
  const auto new_path = next->path();
  *current = std::move(*next);
  EXPECT_FALSE(fs::exists(old_path));
  EXPECT_EQ(content_of(new_path), "2");
}

TEST_F(PrivateCopyTest, FollowsALinkToItsTarget) {
  auto folder = make_folder();
  temporary_.write("versions/2/plugin.so", "target");
  fs::create_symlink("versions/2/plugin.so", parent() / "plugin.so");
  const auto copy = folder.copy(parent() / "plugin.so");
  ASSERT_TRUE(copy);
  EXPECT_EQ(content_of(copy->path()), "target");
}

TEST_F(PrivateCopyTest, TakesAFileNameOfAnyLength) {
  auto folder = make_folder();
  const auto copy = folder.copy(temporary_.write(std::string(252, 'n') + ".so", "x"));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(content_of(copy->path()), "x");
}

TEST_F(PrivateCopyTest, CutsALongNameBetweenItsCharacters) {
  auto folder = make_folder();
  std::string name = "a";
  for (int i = 0; i < 60; ++i)
    name += "\u00E9";
  const auto copy = folder.copy(temporary_.write(name + ".so", "x"));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_THAT(copy->path().filename().string(), StartsWith(name.substr(0, 99) + ".1."));
}

TEST_F(PrivateCopyTest, TakesALongNameOfNothingButHalvesOfCharacters) {
  auto folder = make_folder();
  const auto copy = folder.copy(temporary_.write(std::string(200, '\x80') + ".so", "x"));
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_THAT(copy->path().filename().string(), StartsWith(std::string(100, '\x80') + ".1."));
}

TEST_F(PrivateCopyTest, IsRefusedForWhatIsNoRegularFile) {
  auto folder = make_folder();
  const auto pipe = parent() / "pipe.so";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& path : {pipe, parent()}) {
    const auto copy = folder.copy(path);
    ASSERT_FALSE(copy);
    EXPECT_EQ(copy.error().message, "it is not a regular file");
  }
  const auto absent = folder.copy(parent() / "absent.so");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message, StartsWith("it cannot be opened: "));
}

TEST_F(PrivateCopyTest, IsRefusedForAFileThatIsFarTooLarge) {
  auto folder = make_folder();
  const auto file = temporary_.write("large.so", "x");
  fs::resize_file(file, max_library_size + 1);  // sparse
  const auto copy = folder.copy(file);
  ASSERT_FALSE(copy);
  EXPECT_THAT(copy.error().message, HasSubstr("more than the 536870912"));
}

TEST_F(PrivateCopyTest, IsRefusedIfTheFileChangesMeanwhile) {
  auto folder = make_folder();
  const auto file = temporary_.write("plugin.so", "x");
  fs::resize_file(file, 64 * 1024 * 1024);
  std::atomic<bool> stop = false;
  std::atomic<bool> writing = false;
  std::thread writer([&] {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    while (!stop)
      writing = ::pwrite(descriptor, "y", 1, 0) == 1;
    ::close(descriptor);
  });
  while (!writing)
    std::this_thread::yield();
  std::string refusal;
  // Whoever writes may be paused while it is read, but not always.
  EXPECT_TRUE(test::eventually([&] {
    const auto copy = folder.copy(file);
    if (!copy) refusal = copy.error().message;
    return !copy;
  }));
  stop = true;
  writer.join();
  EXPECT_EQ(refusal, "it changed while it was read; it will be tried again");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "only the lock is left";
}

TEST_F(PrivateFolderTest, IsRemovedWithAllThatIsInIt) {
  fs::path path;
  {
    auto folder = make_folder();
    path = folder.path();
    EXPECT_THAT(path.filename().string(), StartsWith("mcp-plugin-host-" + std::to_string(::getpid()) + "-"));
    std::ofstream(path / "left behind") << "x";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PrivateFolderTest, IsMadeAgainWhenSomebodyHasTidiedItAway) {
  fs::path path;
  {
    auto folder = make_folder();
    const auto source = temporary_.write("plugin.so", "x");
    const auto before = folder.copy(source);
    ASSERT_TRUE(before);
    fs::remove_all(folder.path());
    const auto copy = folder.copy(source);
    ASSERT_TRUE(copy) << copy.error().message;
    EXPECT_EQ(content_of(copy->path()), "x");
    path = folder.path();
    EXPECT_EQ(copy->path().parent_path(), path);
    const auto other = make_folder();
    EXPECT_TRUE(fs::exists(copy->path())) << "it is in use";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PrivateFolderTest, SaysSoIfItCannotBeMadeAgain) {
  auto folder = *PrivateFolder::create({parent() / "above"});
  const auto source = temporary_.write("plugin.so", "x");
  fs::remove_all(parent() / "above");
  fs::create_symlink("nowhere/at/all", parent() / "above");
  const auto copy = folder.copy(source);
  ASSERT_FALSE(copy);
  EXPECT_THAT(copy.error().message, HasSubstr("was removed and cannot be made again: it cannot be written: "));
  EXPECT_TRUE(copy.error().may_pass());
}

TEST_F(PrivateFolderTest, IsRemovedOnceAfterBeingMoved) {
  auto folder = make_folder();
  const auto path = folder.path();
  {
    const PrivateFolder moved = std::move(folder);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(PrivateFolderTest, ReplacesWhatADeadHostLeft) {
  temporary_.write("mcp-plugin-host-1-dead/in-use", "");
  temporary_.write("mcp-plugin-host-1-dead/plugin.1.so", "x");
  const auto folder = make_folder();
  EXPECT_FALSE(fs::exists(parent() / "mcp-plugin-host-1-dead"));
}

TEST_F(PrivateFolderTest, LeavesTheFolderOfALivingHost) {
  auto living = make_folder();
  const auto copy = living.copy(temporary_.write("plugin.so", "x"));
  ASSERT_TRUE(copy);
  const auto other = make_folder();
  EXPECT_NE(living.path(), other.path());
  EXPECT_TRUE(fs::exists(copy->path()));
}

TEST_F(PrivateFolderTest, LeavesWhatIsNotItsOwn) {
  temporary_.write("another-program/in-use", "");
  temporary_.write("mcp-plugin-host-file", "");
  temporary_.write("elsewhere/in-use", "");
  fs::create_directory_symlink(parent() / "elsewhere", parent() / "mcp-plugin-host-link");
  const auto folder = make_folder();
  EXPECT_TRUE(fs::exists(parent() / "another-program/in-use"));
  EXPECT_TRUE(fs::exists(parent() / "mcp-plugin-host-file"));
  EXPECT_TRUE(fs::exists(parent() / "elsewhere/in-use"));
}

TEST_F(PrivateFolderTest, LeavesAFolderThatAnotherHostIsJustMaking) {
  fs::create_directory(parent() / "mcp-plugin-host-2-young");
  fs::create_directory(parent() / "mcp-plugin-host-3-old");
  fs::last_write_time(parent() / "mcp-plugin-host-3-old", fs::file_time_type::clock::now() - std::chrono::hours(1));
  const auto folder = make_folder();
  EXPECT_TRUE(fs::exists(parent() / "mcp-plugin-host-2-young"));
  EXPECT_FALSE(fs::exists(parent() / "mcp-plugin-host-3-old"));
}

TEST_F(PrivateFolderTest, IsMadeInTheNextParentIfOneCannotBeUsed) {
  const auto file = temporary_.write("a file", "");
  const auto folder = PrivateFolder::create({file, parent() / "made for it"});
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(folder->path().parent_path(), parent() / "made for it");
}

TEST_F(PrivateFolderTest, SaysWhatWasTriedIfNoParentCanBeUsed) {
  const auto file = temporary_.write("a file", "");
  const auto folder = PrivateFolder::create({file, "/proc"});
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, AllOf(HasSubstr(file.string() + ": it cannot be written: Not a directory"),
                                            HasSubstr("/proc: it cannot be written: "), HasSubstr("set TMPDIR to")));
}

// Ends the process with 0 if a parent that is mounted noexec is passed over, 1 if not, 2 if it cannot be tried here.
[[noreturn]] void pass_over_noexec_parent(const fs::path& noexec, const fs::path& usable) {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", noexec.c_str(), "tmpfs", MS_NOEXEC, nullptr) != 0) {
    std::_Exit(2);
  }
  auto refused = PrivateFolder::create({noexec});
  const auto folder = PrivateFolder::create({noexec, usable});
  const bool right = !refused && refused.error().message.find("mounted noexec?") != std::string::npos && folder &&
                     folder->path().parent_path() == usable && fs::is_empty(noexec);
  fs::remove_all(folder ? folder->path() : usable);
  std::_Exit(right ? 0 : 1);
}

TEST_F(PrivateFolderDeathTest, IsNotMadeWhereLibrariesCannotBeLoaded) {
  const auto noexec = parent() / "noexec";
  const auto usable = parent() / "usable";
  fs::create_directory(noexec);
  fs::create_directory(usable);
  int status = 0;
  EXPECT_EXIT(
      pass_over_noexec_parent(noexec, usable),
      [&](int ended) {
        status = WEXITSTATUS(ended);
        return WIFEXITED(ended) && status != 1;
      },
      "");
  if (status == 2) GTEST_SKIP() << "needs the right to mount a file system";
}

}  // namespace
}  // namespace mcph
