#include "plugin/data_directory.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DataDirectoryTest : public ::testing::Test {
 protected:
  std::string refusal() const {
    const auto opened = directory_.open();
    return opened.has_value() ? "opened" : opened.error().message;
  }

  const test::TemporaryFolder temporary_;
  const DataDirectory directory_{.root = temporary_.path() / "state" / "data", .place = "tools/notes"};
};

TEST_F(DataDirectoryTest, IsMadeWithAllAboveIt) {
  ASSERT_TRUE(directory_.open());
  EXPECT_TRUE(fs::is_directory(temporary_.path() / "state/data/tools/notes"));
  EXPECT_TRUE(directory_.open()) << "and is there the next time";
}

TEST_F(DataDirectoryTest, IsNoLinkThatAPluginPutInItsPlace) {
  fs::create_directories(directory_.root / "tools");
  fs::create_directory(temporary_.path() / "components");
  fs::create_directory_symlink(temporary_.path() / "components", directory_.path());
  EXPECT_THAT(refusal(), HasSubstr(directory_.path().string() + " is a link or no folder; put a folder there"));
}

TEST_F(DataDirectoryTest, IsNotBehindALinkBelowTheRoot) {
  fs::create_directories(directory_.root);
  fs::create_directories(temporary_.path() / "elsewhere/notes");
  fs::create_directory_symlink(temporary_.path() / "elsewhere", directory_.root / "tools");
  EXPECT_THAT(refusal(), HasSubstr((directory_.root / "tools").string() + " is a link or no folder"));
}

TEST_F(DataDirectoryTest, IsNoFile) {
  temporary_.write("state/data/tools/notes", "");
  EXPECT_THAT(refusal(), HasSubstr("is a link or no folder"));
}

TEST_F(DataDirectoryTest, MayLieBelowARootThatIsALink) {
  fs::create_directories(temporary_.path() / "disk");
  fs::create_directories(directory_.root.parent_path());
  fs::create_directory_symlink(temporary_.path() / "disk", directory_.root);
  EXPECT_TRUE(directory_.open());
  EXPECT_TRUE(fs::is_directory(temporary_.path() / "disk/tools/notes"));
}

}  // namespace
}  // namespace mcph
