#include <gtest/gtest.h>

#include "app/host.hpp"
#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

TEST(FindComponentsTest, NamesTheFolderThatAProjectHasBuiltBesideTheOneThatIsMissing) {
  const test::TemporaryFolder project;
  const auto wanted = project.path() / "mcp_components";
  HostOptions options;
  options.components = wanted;
  const auto words = [&] { return find_components(options).error().message; };
  const auto missing =
      "the components folder " + wanted.string() + " is missing; make it, or name another one with --components";
  EXPECT_EQ(words(), missing);
  for (const auto* const preset : {"debug", "release"}) {  // the second goes before the first
    project.write(std::filesystem::path("build") / preset / "mcp_components/tools/hello.so", "");
    EXPECT_EQ(words(), missing + "; the project there has built " + project.path().string() + "/build/" + preset +
                           "/mcp_components");
  }
  std::filesystem::create_directory(wanted);
  EXPECT_TRUE(find_components(options).has_value());
}

}  // namespace
}  // namespace mcph
