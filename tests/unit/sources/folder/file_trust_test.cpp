#include "sources/folder/file_trust.hpp"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/regular_file.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FileTrustTest : public ::testing::Test {
 protected:
  FileTrustTest() { temporary_.write("components/tools/team/a.so", "a library"); }

  fs::path components() const { return temporary_.path() / "components"; }
  fs::path file() const { return components() / "tools/team/a.so"; }
  std::string refusal_of(const fs::path& path, FileTrust::Options options = {}) const {
    const auto checked = FileTrust(components(), std::move(options)).check(path, open_to_read(path));
    return checked ? "accepted" : checked.error().message;
  }
  static void allow_everybody(const fs::path& path) {
    fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
  }

  const test::TemporaryFolder temporary_;
};

TEST_F(FileTrustTest, AcceptsWhatOnlyItsUserCanWrite) {
  EXPECT_EQ(refusal_of(file()), "accepted");
  fs::permissions(file(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_EQ(refusal_of(file()), "accepted") << "a user's own group is a common setting";
}

TEST_F(FileTrustTest, RefusesAFileThatEverybodyCanWrite) {
  allow_everybody(file());
  EXPECT_THAT(refusal_of(file()), AllOf(StartsWith("it can be written by everybody"), HasSubstr("chmod o-w"),
                                        HasSubstr("--allow-writable-components")));
  EXPECT_EQ(refusal_of(file(), {.writable_by_others = true}), "accepted");
}

TEST_F(FileTrustTest, RefusesAFileInAFolderThatEverybodyCanWrite) {
  for (const auto& folder : {components(), components() / "tools", components() / "tools/team"}) {
    const auto before = fs::status(folder).permissions();
    allow_everybody(folder);
    EXPECT_THAT(refusal_of(file()), StartsWith("its folder " + folder.string() + " can be written by everybody"));
    fs::permissions(folder, before);
  }
  EXPECT_EQ(refusal_of(file()), "accepted");
}

TEST_F(FileTrustTest, AcceptsAFolderInWhichEverybodyCanWriteOnlyTheirOwn) {
  fs::permissions(components() / "tools", fs::perms::all | fs::perms::sticky_bit);
  EXPECT_EQ(refusal_of(file()), "accepted");
}

TEST_F(FileTrustTest, RefusesWhatBelongsToSomebodyElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(file().c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal_of(file()), StartsWith("it belongs to the user 12345, who is neither the host's user nor root"));
  EXPECT_EQ(refusal_of(file(), {.writable_by_others = true}), "accepted");
}

TEST_F(FileTrustTest, FollowsLinksWithinTheFolderOnly) {
  fs::create_symlink("team/a.so", components() / "tools/link.so");
  EXPECT_EQ(refusal_of(components() / "tools/link.so"), "accepted");
  const auto outside = temporary_.write("elsewhere/b.so", "another");
  fs::create_symlink(outside, components() / "tools/out.so");
  fs::create_directory_symlink(temporary_.path() / "elsewhere", components() / "tools/folder");
  for (const auto* const path : {"tools/out.so", "tools/folder/b.so"}) {
    EXPECT_THAT(refusal_of(components() / path),
                AllOf(HasSubstr("a link that leads out of the components folder, to " + outside.string()),
                      HasSubstr("--allow-outside-links")));
    EXPECT_EQ(refusal_of(components() / path, {.outside_links = true}), "accepted");
  }
  allow_everybody(outside);
  EXPECT_THAT(refusal_of(components() / "tools/out.so", {.outside_links = true}),
              StartsWith("it can be written by everybody"));
}

// Whoever can write above it can put another folder in its place.
TEST_F(FileTrustTest, LooksAtAllFoldersAboveWhatALinkLeadsTo) {
  const auto outside = temporary_.write("drop/build/b.so", "another");
  fs::create_symlink(outside, components() / "tools/out.so");
  EXPECT_EQ(refusal_of(components() / "tools/out.so", {.outside_links = true}), "accepted");
  allow_everybody(temporary_.path() / "drop");
  EXPECT_THAT(refusal_of(components() / "tools/out.so", {.outside_links = true}),
              StartsWith("its folder " + (temporary_.path() / "drop").string() + " can be written by everybody"));
}

TEST_F(FileTrustTest, LetsAPersonNameAFileThatLiesElsewhere) {
  const auto elsewhere = temporary_.write("build/b.so", "another");
  allow_everybody(elsewhere);
  EXPECT_EQ(refusal_of(elsewhere), "accepted");
}

TEST_F(FileTrustTest, AcceptsOnlyTheDigestsThatItIsGiven) {
  const std::string digest(64, 'a');
  EXPECT_TRUE(FileTrust(components(), {}).check_digest(digest));
  EXPECT_TRUE(FileTrust(components(), {.digests = std::set{digest}}).check_digest(digest));
  const auto refused = FileTrust(components(), {.digests = std::set<std::string>{}}).check_digest(digest);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr(digest), HasSubstr("--allowed-digests")));
}

TEST_F(FileTrustTest, ReadsDigestsAsSha256sumWritesThem) {
  const std::string a(64, 'a');
  const std::string b(64, 'B');
  const auto list = temporary_.write("digests", "# ours\n" + a + "  tools/a.so\n\n" + b + " *b.so\r\n");
  EXPECT_EQ(*read_digests(list), (std::set{a, std::string(64, 'b')}));
  EXPECT_THAT(read_digests(temporary_.write("bad", a + "\nabc  x.so\n")).error().message,
              HasSubstr("bad, line 2 does not begin with a SHA-256 digest"));
  EXPECT_THAT(read_digests(temporary_.path() / "absent").error().message, HasSubstr("No such file"));
}

}  // namespace
}  // namespace mcph
