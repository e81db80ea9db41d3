#include "cli/source_watch.hpp"

#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SourceWatchTest : public ::testing::Test {
 protected:
  SourceWatchTest() { write("plugin.cpp"); }

  // As if at another time than before, however coarse the file system's clock is.
  void write(const std::string& name) const {
    const auto before = fs::exists(at(name)) ? fs::last_write_time(at(name)) : fs::file_time_type();
    const auto file = folder_.write(name, "text");
    if (before != fs::file_time_type()) fs::last_write_time(file, before + std::chrono::seconds(1));
  }
  SourceWatch watch(const std::set<fs::path>& left_out = {}) const { return {folder_.path(), left_out}; }
  fs::path at(const std::string& name) const { return folder_.path() / name; }

  const test::TemporaryFolder folder_;
};

TEST_F(SourceWatchTest, SeesWhatIsNewChangedAndGone) {
  auto sources = watch();
  EXPECT_THAT(sources.changes(), IsEmpty());
  write("src/builder/more.hpp");
  EXPECT_THAT(sources.changes(), ElementsAre(at("src/builder/more.hpp")));
  write("plugin.cpp");
  EXPECT_THAT(sources.changes(), ElementsAre(at("plugin.cpp")));
  fs::remove(at("plugin.cpp"));
  EXPECT_THAT(sources.changes(), ElementsAre(at("plugin.cpp")));
  EXPECT_THAT(sources.changes(), IsEmpty());
}

TEST_F(SourceWatchTest, SeesNothingOfWhatBuildsMake) {
  auto sources = watch({at("./out")});
  for (const auto* made : {"build/a.o", "build-debug/a.o", "target/a.o", ".git/index", "out/tools/a.so", ".plugin.swp"})
    write(made);
  EXPECT_THAT(sources.changes(), IsEmpty());
}

TEST_F(SourceWatchTest, ForgetsWhatIsToBeLeftOut) {
  auto sources = watch();
  sources.leave_out(at("plugin.cpp"));
  write("plugin.cpp");
  EXPECT_THAT(sources.changes(), IsEmpty());
}

}  // namespace
}  // namespace mcph
