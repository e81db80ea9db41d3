#include "base/is_program.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace mcph {
namespace {

TEST(IsProgram, FindsAProgramAsTheSystemDoes) {
  const test::TemporaryFolder folder;
  folder.write("tool", "#!/bin/sh\n");
  const auto tool = folder.path() / "tool";
  std::filesystem::permissions(tool, std::filesystem::perms::owner_read);
  const auto path = "/nowhere:" + folder.path().string() + ":/usr/bin";
  EXPECT_FALSE(is_program(tool, nullptr)) << "it cannot be run";
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  EXPECT_TRUE(is_program(tool, nullptr));
  EXPECT_TRUE(is_program("tool", path.c_str()));
  EXPECT_FALSE(is_program("tool", "/nowhere"));
  EXPECT_FALSE(is_program(folder.path(), nullptr)) << "it is a folder";
  EXPECT_TRUE(is_program("sh", nullptr)) << "where there is no PATH, either";
}

}  // namespace
}  // namespace mcph
