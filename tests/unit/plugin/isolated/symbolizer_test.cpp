// What the host makes of what its symbolizer prints, which may be anything.
#include "plugin/isolated/symbolizer.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/regular_file.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

class SymbolizerTest : public ::testing::Test {
 protected:
  // What is found where the program prints this, whatever it is asked.
  Symbols find(const std::string& printed, const std::vector<std::string>& places = {}) {
    const auto program = folder_.write("symbolizer", "#!/bin/sh\ncat <<'END'\n" + printed + "\nEND\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const auto found = Symbolizer(program).find(open_to_read("/dev/null"), places);
    EXPECT_TRUE(found.has_value()) << (found.has_value() ? "" : found.error().message);
    return found.has_value() ? *found : Symbols{};
  }

  const test::TemporaryFolder folder_;
};

TEST_F(SymbolizerTest, TakesABuildIdOfTheLengthThatOneMayHave) {
  const std::string id(128, 'a');
  EXPECT_EQ(find("build-id 0123abc").build_id, "0123abc");
  EXPECT_EQ(find("build-id " + id).build_id, id);
}

TEST_F(SymbolizerTest, PassesOverABuildIdThatIsNone) {
  EXPECT_EQ(find("build-id " + std::string(129, 'a')).build_id, "");
  EXPECT_EQ(find("build-id 0123ABC").build_id, "");
}

TEST_F(SymbolizerTest, FindsThePlacesAllTheSame) {
  const auto symbols = find("build-id " + std::string(200'000, 'a') + "\n0 7\tnotes.cpp\tadd_note", {"0x10"});
  ASSERT_EQ(symbols.places.size(), 1U);
  ASSERT_EQ(symbols.places[0].size(), 1U);
  EXPECT_EQ(symbols.places[0][0].function, "add_note");
  EXPECT_EQ(symbols.places[0][0].line, 7);
  EXPECT_EQ(symbols.build_id, "");
}

}  // namespace
}  // namespace mcph
