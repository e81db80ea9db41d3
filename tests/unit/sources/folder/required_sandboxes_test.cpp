#include "sources/folder/required_sandboxes.hpp"

#include <csignal>
#include <fcntl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/regular_file.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RequiredSandboxesTest : public ::testing::Test {
 protected:
  fs::path folder() const { return temporary_.path() / "data" / ".required-sandboxes"; }

  const test::TemporaryFolder temporary_;
  const fs::path notes_ = "/components/tools/notes.so";
  const fs::path weather_ = "/components/tools/weather.so";
};

TEST_F(RequiredSandboxesTest, AreThoseOfWhichItWasSaid) {
  RequiredSandboxes sandboxes(folder());
  EXPECT_FALSE(*sandboxes.contains(notes_));
  EXPECT_TRUE(sandboxes.set(notes_, true));
  EXPECT_TRUE(sandboxes.set(weather_, false));
  EXPECT_TRUE(*sandboxes.contains(notes_));
  EXPECT_FALSE(*sandboxes.contains(weather_));
}

TEST_F(RequiredSandboxesTest, AreKnownToTheNextHost) {
  EXPECT_TRUE(RequiredSandboxes(folder()).set(notes_, true));
  EXPECT_TRUE(*RequiredSandboxes(folder()).contains(notes_));
  EXPECT_FALSE(*RequiredSandboxes(folder()).contains(weather_));
  EXPECT_TRUE(*RequiredSandboxes(folder()).contains("/components/resources/../tools/notes.so"));
}

TEST_F(RequiredSandboxesTest, AreForgottenWhenTheConfigurationSaysOtherwise) {
  RequiredSandboxes sandboxes(folder());
  EXPECT_TRUE(sandboxes.set(notes_, true));
  EXPECT_TRUE(sandboxes.set(notes_, false));
  EXPECT_FALSE(*sandboxes.contains(notes_));
  EXPECT_FALSE(*RequiredSandboxes(folder()).contains(notes_));
}

TEST_F(RequiredSandboxesTest, LieInAFolderThatIsMadeWhenItIsNeeded) {
  EXPECT_TRUE(RequiredSandboxes(folder()).set(notes_, false));
  EXPECT_FALSE(fs::exists(folder()));
  EXPECT_TRUE(RequiredSandboxes(folder()).set(notes_, true));
  EXPECT_TRUE(fs::is_directory(folder()));
}

TEST_F(RequiredSandboxesTest, AreKnownToThisHostWhereTheFolderCannotBeMade) {
  temporary_.write("data", "no folder");
  RequiredSandboxes sandboxes(folder());
  EXPECT_THAT(sandboxes.set(notes_, true).error().message, HasSubstr(folder().string() + " cannot be made: "));
  EXPECT_TRUE(*sandboxes.contains(notes_));
}

TEST_F(RequiredSandboxesTest, AreKeptAsSoonAsTheFolderCanBeMade) {
  const auto in_the_way = temporary_.write("data", "no folder");
  RequiredSandboxes sandboxes(folder());
  EXPECT_FALSE(sandboxes.set(notes_, true));
  fs::remove(in_the_way);
  EXPECT_TRUE(sandboxes.set(notes_, true));
  EXPECT_TRUE(*RequiredSandboxes(folder()).contains(notes_));
}

// Who has a lease is signalled, and has the time that the system gives: 45 s as a rule.
TEST_F(RequiredSandboxesTest, WaitForNobodyWhoHasALeaseOfTheFile) {
  EXPECT_TRUE(RequiredSandboxes(folder()).set(notes_, true));
  const auto file = open_to_read(*fs::directory_iterator(folder()));
  if (::fcntl(file.get(), F_SETSIG, SIGURG) != 0 || ::fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0)
    GTEST_SKIP() << "no leases here: " << last_error();
  RequiredSandboxes sandboxes(folder());
  EXPECT_THAT(sandboxes.set(notes_, true).error().message,
              HasSubstr("cannot be written: Resource temporarily unavailable"));
  EXPECT_TRUE(*sandboxes.contains(notes_));
}

// A folder that nobody can read may say that it was required.
TEST_F(RequiredSandboxesTest, AreNotTakenForNoneWhereTheFolderCannotBeRead) {
  fs::create_directory_symlink(folder().filename(), temporary_.path() / folder().filename());
  const auto loop = temporary_.path() / folder().filename();
  const auto contained = RequiredSandboxes(loop).contains(notes_);
  ASSERT_TRUE(contained.has_error());
  EXPECT_THAT(contained.error().message,
              AllOf(HasSubstr("cannot be read in " + loop.string() + ": "), HasSubstr("let the host read that folder"),
                    HasSubstr("write {} into /components/tools/notes.json")));
  EXPECT_TRUE(contained.error().may_pass());
}

TEST_F(RequiredSandboxesTest, NeedNoFolder) {
  RequiredSandboxes sandboxes({});
  EXPECT_TRUE(sandboxes.set(notes_, true));
  EXPECT_TRUE(*sandboxes.contains(notes_));
  EXPECT_TRUE(sandboxes.set(notes_, false));
  EXPECT_FALSE(*sandboxes.contains(notes_));
}

TEST_F(RequiredSandboxesTest, MayHaveAnyName) {
  const fs::path file = "/components/tools/" + std::string(251, '\xE9') + ".so";
  EXPECT_TRUE(RequiredSandboxes(folder()).set(file, true));
  EXPECT_TRUE(*RequiredSandboxes(folder()).contains(file));
}

}  // namespace
}  // namespace mcph
