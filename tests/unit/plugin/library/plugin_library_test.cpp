#include "plugin/library/plugin_library.hpp"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin/library/private_folder.hpp"
#include "support/kept_memory.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class PluginLibraryTest : public ::testing::Test {
 protected:
  std::shared_ptr<const PrivateCopy> copy_of(const std::string& fixture) {
    auto copy = copies_.copy(std::string(MCP_TEST_FIXTURES) + "/" + fixture + ".so");
    if (!copy) throw std::runtime_error(copy.error().message);
    return std::make_shared<const PrivateCopy>(*std::move(copy));
  }
  PluginLibrary load(const std::string& fixture) {
    auto library = PluginLibrary::load(copy_of(fixture));
    if (!library) throw std::runtime_error(library.error().message);
    return *std::move(library);
  }
  std::string refusal_of(const std::string& fixture) {
    const auto library = PluginLibrary::load(copy_of(fixture));
    return library ? "accepted" : library.error().message;
  }
  // Of a library that was built where there are newer versions of what it uses: `from`, wherever it stands in the
  // library, is `to` there.
  std::string refusal_of_patched(const std::string& fixture, const std::string& from, const std::string& to) {
    std::ifstream original(std::string(MCP_TEST_FIXTURES) + "/" + fixture + ".so", std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(original)), {});
    std::size_t patched = 0;
    for (auto at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + to.size())) {
      bytes.replace(at, from.size(), to);
      ++patched;
    }
    EXPECT_GT(patched, 0U);
    const auto library = PluginLibrary::load(temporary_.write("newer.so", bytes));
    return library ? "accepted" : library.error().message;
  }
  // Whether a file is part of this process's memory.
  static bool is_mapped(const std::filesystem::path& file) {
    std::ifstream maps("/proc/self/maps");
    const std::string text((std::istreambuf_iterator<char>(maps)), {});
    return text.find(file.string()) != std::string::npos;
  }

  const test::TemporaryFolder temporary_;
  PrivateFolder copies_ = *PrivateFolder::create({temporary_.path()});
};

TEST_F(PluginLibraryTest, GivesTheTableOfThePlugin) {
  const auto library = load("unit_plain");
  EXPECT_EQ(std::string(library.table().name.data, library.table().name.size), "plain");
  EXPECT_NE(library.table().create, nullptr);
}

TEST_F(PluginLibraryTest, IsUnmappedAndDeletedWithItsOwner) {
  std::filesystem::path file;
  {
    const auto library = load("unit_plain");
    file = library.path();
    EXPECT_TRUE(is_mapped(file));
  }
  EXPECT_FALSE(is_mapped(file));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(PluginLibraryTest, StaysMappedWhereItMustNeverBeUnloaded) {
  std::filesystem::path file;
  {
    auto library = load("unit_plain");
    file = library.path();
    const test::KeptMemory kept;
    library.never_unload();
  }
  EXPECT_TRUE(is_mapped(file));
}

TEST_F(PluginLibraryTest, KeepsTwoVersionsApart) {
  const auto first = load("unit_actor");
  const auto second = load("unit_actor_2");
  const auto again = load("unit_actor");
  EXPECT_EQ(std::string(first.table().version.data), "1.0.0");
  EXPECT_EQ(std::string(second.table().version.data), "2.0.0");
  EXPECT_NE(&first.table(), &again.table());
}

TEST_F(PluginLibraryTest, NamesALibraryThatIsMissing) {
  EXPECT_EQ(refusal_of("unit_missing_dependency"),
            "it needs the library libunit_absent.so, which the system does not find; install it, or put it "
            "beside the plugin into a bundle, the folder NAME.plugin (add_mcp_plugin(... LIBRARIES ...))");
}

TEST_F(PluginLibraryTest, NamesTheVersionOfTheCLibraryThatItWasBuiltFor) {
  EXPECT_THAT(refusal_of_patched("unit_actor", "GLIBC_2.", "GLIBC_9."),
              MatchesRegex("it needs GLIBC_9\\.[0-9.]+ of lib[a-z]+\\.so\\.[0-9]+, which this system does not have "
                           "\\(it has [0-9.]+\\): build it on this or an older system"));
}

TEST_F(PluginLibraryTest, NamesTheVersionOfAnotherLibraryThatItWasBuiltFor) {
  EXPECT_THAT(refusal_of_patched("unit_actor", "GLIBCXX_3.", "GLIBCXX_9."),
              MatchesRegex("it needs GLIBCXX_9\\.[0-9.]+ of libstdc\\+\\+\\.so\\.6, which this system does not have: "
                           "install a newer libstdc\\+\\+\\.so\\.6, or build it on this or an older system"));
}

TEST_F(PluginLibraryTest, NamesAFunctionThatIsMissing) {
  EXPECT_THAT(refusal_of("unit_undefined_symbol"),
              AllOf(StartsWith("the dynamic linker refused it: "), HasSubstr("unit_function_that_nobody_defines"),
                    Not(HasSubstr(temporary_.path().string()))));
}

TEST_F(PluginLibraryTest, RefusesATableThatIsTooSmall) {
  EXPECT_EQ(refusal_of("unit_actor_small_table"),
            "its plugin table has 16 bytes, but the contract needs at least " +
                std::to_string(offsetof(mcp_plugin, stop) + sizeof(mcp_plugin::stop)) +
                "; set mcp_plugin.size to sizeof(mcp_plugin)");
}

TEST_F(PluginLibraryTest, RefusesANameThatIsNone) {
  EXPECT_EQ(refusal_of("unit_actor_bad_name"),
            "its plugin name \"two words\" is not 1 to 128 characters of A-Za-z0-9_.-");
}

TEST_F(PluginLibraryTest, RefusesAVersionThatIsNoShortText) {
  for (const auto* fixture : {"unit_actor_no_version", "unit_actor_long_version", "unit_actor_binary_version"})
    EXPECT_EQ(refusal_of(fixture), "its plugin version is not 1 to 128 bytes of UTF-8 text") << fixture;
}

TEST_F(PluginLibraryTest, RefusesAPluginThatSaysTooMuchOfItself) {
  EXPECT_EQ(refusal_of("unit_actor_bad_id"), "its plugin id \"two words\" is not 1 to 128 characters of A-Za-z0-9_.-");
  EXPECT_EQ(refusal_of("unit_actor_long_vendor"), "its plugin vendor is not up to 128 bytes of UTF-8 text");
  EXPECT_EQ(refusal_of("unit_actor_long_description"), "its plugin description is not up to 1024 bytes of UTF-8 text");
  EXPECT_EQ(refusal_of("unit_actor_bad_url"),
            "its plugin url is not up to 1024 bytes that begin with https:// or http://");
}

TEST_F(PluginLibraryTest, RefusesALibraryWhoseEntryFunctionThrowsSomethingOfItsOwn) {
  EXPECT_EQ(refusal_of("unit_throwing_entry"), "its entry function let an exception escape: the license has expired");
  EXPECT_FALSE(is_mapped(copies_.path()));
}

TEST_F(PluginLibraryTest, LeavesNothingOfALibraryThatItRefuses) {
  refusal_of("unit_actor_bad_name");
  EXPECT_FALSE(is_mapped(copies_.path()));
}

}  // namespace
}  // namespace mcph
