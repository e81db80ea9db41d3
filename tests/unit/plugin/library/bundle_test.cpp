#include "plugin/library/bundle.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "plugin/library/elf_library.hpp"
#include "plugin/library/own_names.hpp"
#include "plugin/library/private_folder.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class BundleTest : public ::testing::Test {
 protected:
  fs::path bundle() const { return temporary_.path() / "notes.plugin"; }
  fs::path write(const fs::path& name, std::string_view content = "x") const {
    return temporary_.write("notes.plugin" / name, content);
  }
  void copy_in(const fs::path& library, const fs::path& name) const {
    std::ifstream in(library, std::ios::binary);
    write(name, std::string(std::istreambuf_iterator<char>(in), {}));
  }
  BundleListing list(const BundleLimits& limits = {}) const { return list_bundle(bundle(), limits); }
  std::string refusal(const BundleLimits& limits = {}) const {
    const auto listing = list(limits);
    return listing.refusal ? listing.refusal->message : "accepted";
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& file : list().files)
      names.push_back(file.name.string());
    return names;
  }
  Result<PrivateCopy> copy() {
    return folder_.copy_bundle(bundle(), [](const auto&, const auto&) { return Result<>(); });
  }
  std::string library() const {
    const auto found = library_of_bundle(bundle(), "notes");
    return found ? found->file.string() : found.error().message;
  }

  const test::TemporaryFolder temporary_;
  PrivateFolder folder_ = *PrivateFolder::create({temporary_.path()});
};

TEST_F(BundleTest, HoldsItsFilesInTheOrderOfTheirNames) {
  write("notes.so");
  write("lib/libdeep.so.1");
  write("data/words.txt");
  fs::create_symlink("libdeep.so.1", bundle() / "lib/libdeep.so");
  EXPECT_THAT(names(), ElementsAre("data/words.txt", "lib/libdeep.so", "lib/libdeep.so.1", "notes.so"));
  EXPECT_THAT(list().folders, ElementsAre(bundle(), bundle() / "data", bundle() / "lib"));
}

TEST_F(BundleTest, PassesOverWhatEditorsAndCopiesLeaveButNoticesIt) {
  write("notes.so");
  const auto before = list();
  write(".words.txt.Xy12");
  write("words.txt~");
  write("words.tmp");
  write(".git/config");
  EXPECT_THAT(names(), ElementsAre("notes.so"));
  EXPECT_EQ(list().identity, before.identity);
  EXPECT_NE(list().passed_over, before.passed_over);
}

TEST_F(BundleTest, IsAnotherWhenAnyFileOfItChangesComesOrGoes) {
  write("notes.so");
  write("data/words.txt", "one");
  auto before = list().identity;
  const auto has_changed = [&] { return std::exchange(before, list().identity) != before; };
  EXPECT_FALSE(has_changed());
  write("data/words.txt", "three");
  EXPECT_TRUE(has_changed());
  write("data/more.txt");
  EXPECT_TRUE(has_changed());
  fs::rename(bundle() / "data/more.txt", bundle() / "data/most.txt");
  EXPECT_TRUE(has_changed());
  fs::remove(bundle() / "data/most.txt");
  EXPECT_TRUE(has_changed());
}

TEST_F(BundleTest, RefusesWhatLeadsOutOfIt) {
  write("notes.so");
  temporary_.write("secret.txt", "x");
  fs::create_symlink("../secret.txt", bundle() / "words.txt");
  EXPECT_EQ(refusal(), "its words.txt is a link that leads out of the bundle; copy the file into it");
  fs::remove(bundle() / "words.txt");
  fs::create_symlink("absent.txt", bundle() / "words.txt");
  EXPECT_EQ(refusal(), "its words.txt is a link to a file that does not exist");
  fs::remove(bundle() / "words.txt");
  write("data/words.txt");
  fs::create_symlink("data", bundle() / "words");
  EXPECT_EQ(refusal(), "its words is a link to a folder; make it a folder");
}

TEST_F(BundleTest, RefusesWhatIsNoFile) {
  write("notes.so");
  ASSERT_EQ(::mkfifo((bundle() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(), "its pipe is not a regular file");
}

TEST_F(BundleTest, RefusesAnotherBundleInIt) {
  write("notes.so");
  write("notes.plugin/notes.so");
  EXPECT_THAT(refusal(), StartsWith("another bundle lies in it, notes.plugin, as copying a folder over a folder"));
}

TEST_F(BundleTest, IsBounded) {
  write("notes.so", "12345");
  write("a/b/c.txt", "12345");
  EXPECT_EQ(refusal({.entries = 4, .depth = 2, .bytes = 10}), "accepted");
  EXPECT_THAT(refusal({.entries = 3, .depth = 2, .bytes = 10}), StartsWith("it holds more than 3 files and folders"));
  EXPECT_EQ(refusal({.entries = 4, .depth = 1, .bytes = 10}), "its folder a/b lies deeper than 1 folders; move it up");
  EXPECT_THAT(refusal({.entries = 4, .depth = 2, .bytes = 9}), StartsWith("its files have more than 9 bytes together"));
}

TEST_F(BundleTest, HasTheDigestOfWhatSha256sumWritesOfItsFiles) {
  write("notes.so", "library");
  write("data/words.txt", "words");
  const auto hex = [](std::string_view text) {
    Sha256 digest;
    digest.add(text.data(), text.size());
    return digest.hex();
  };
  const auto copied = copy();
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(copied->digest(), hex(hex("words") + "  data/words.txt\n" + hex("library") + "  notes.so\n"));
  EXPECT_EQ(copied->source_identity(), list().identity);
}

TEST_F(BundleTest, IsCopiedAsAWholeAndGoesWithTheCopy) {
  write("notes.so", "library");
  write("data/words.txt", "words");
  write(".hidden");
  fs::create_symlink("data/words.txt", bundle() / "link.txt");
  fs::path copied;
  {
    const auto made = copy();
    ASSERT_TRUE(made) << made.error().message;
    copied = made->bundle();
    EXPECT_EQ(made->path(), copied / "notes.so");
    fs::remove_all(bundle());
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(copied / "link.txt")));
    EXPECT_FALSE(fs::exists(copied / ".hidden"));
  }
  EXPECT_FALSE(fs::exists(copied));
}

TEST_F(BundleTest, IsNotCopiedWhenAFileMayNotBeUsedOrChangesMeanwhile) {
  write("notes.so");
  const auto refused =
      folder_.copy_bundle(bundle(), [](const auto&, const auto&) { return Result<>(fail("it may not")); });
  EXPECT_EQ(refused.error().message, "of its file notes.so: it may not");
  const auto changed = folder_.copy_bundle(bundle(), [this](const auto&, const auto&) {
    write("words.txt");
    return Result<>();
  });
  EXPECT_EQ(changed.error().message, "it changed while it was read; it will be tried again");
  EXPECT_TRUE(changed.error().may_pass());
}

TEST_F(BundleTest, HasALibraryOfItsNameOrTheOneThatPluginJsonNames) {
  write("other.so");
  EXPECT_THAT(library(), StartsWith("the library notes.so is not in it; a bundle NAME.plugin holds NAME.so"));
  write("plugin.json", R"({"library": "other.so"})");
  EXPECT_EQ(library(), "other.so");
  write("plugin.json", R"({"library": "../other.so"})");
  EXPECT_THAT(library(), HasSubstr("which must be the path of a library in the bundle"));
  write("plugin.json", "{");
  EXPECT_THAT(library(), StartsWith("its plugin.json is "));
}

TEST_F(BundleTest, TellsWhatMeansNothingToTheHost) {
  write("notes.so");
  write("plugin.json", R"({"icon": "notes.png"})");
  write("notes.json", "{}");
  EXPECT_THAT(
      library_of_bundle(bundle(), "notes")->remarks,
      ElementsAre(R"(its plugin.json has the member "icon", which means nothing to the host; it knows "library")",
                  "the notes.json in it is not its configuration, which lies beside the bundle"));
}

// The fixtures: unit_missing_dependency needs libunit_absent.so.
TEST_F(BundleTest, GivesItsLibrariesNamesThatNoOtherCopyHas) {
  copy_in(MCP_TEST_FIXTURES "/unit_missing_dependency.so", "notes.so");
  copy_in(MCP_TEST_ABSENT_LIBRARY, "libunit_absent.so");
  std::vector<std::string> given;
  for (int i = 0; i < 2; ++i) {
    const auto copied = copy();
    ASSERT_TRUE(copied) << copied.error().message;
    const auto names = give_own_names(*copied);
    ASSERT_TRUE(names) << names.error().message;
    ASSERT_EQ(names->size(), 1U);
    const auto& own = names->front();
    EXPECT_EQ(own.before, "libunit_absent.so");
    EXPECT_EQ(own.name.size(), own.before.size());
    given.push_back(own.name);

    const auto names_in = [](const fs::path& file, ElfName::Use use) {
      std::ifstream stream(file, std::ios::binary);
      std::vector<std::string> texts;
      for (const auto& name : *read_elf_names(stream, fs::file_size(file))) {
        if (name.use == use) texts.push_back(name.text);
      }
      return texts;
    };
    EXPECT_THAT(names_in(copied->path(), ElfName::Use::needed), ::testing::Contains(own.name));
    EXPECT_THAT(names_in(copied->bundle() / own.name, ElfName::Use::own), ElementsAre(own.name));
    EXPECT_EQ(with_names_before("it needs " + own.name + ", " + own.name, *names),
              "it needs libunit_absent.so, libunit_absent.so");
    EXPECT_THAT(libraries_in(*copied), ::testing::SizeIs(1));
  }
  EXPECT_NE(given[0], given[1]);
}

}  // namespace
}  // namespace mcph
