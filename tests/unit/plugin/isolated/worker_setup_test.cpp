#include "plugin/isolated/worker_setup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::ElementsAre;

// A file's name is bytes: Latin-1, a character of UTF-8 that is cut in two, or anything else.
TEST(WorkerSetupTest, HasItsPathsByteByByte) {
  WorkerSetup setup;
  setup.library = "/copies/caf\xE9.1.so";
  setup.file = "/components/tools/\xC3\xA9\xC3.so";
  setup.data_directory = {"/data/\xFF", "tools/\xC2\x80\x7F"};
  setup.sandbox.read = {"/srv/\xE9", "/srv/\xC3\xA9"};
  const auto read = WorkerSetup::read(setup.json());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->library, "/copies/caf\xE9.1.so");
  EXPECT_EQ(read->file, "/components/tools/\xC3\xA9\xC3.so");
  EXPECT_EQ(read->data_directory.root, "/data/\xFF");
  EXPECT_EQ(read->data_directory.place, "tools/\xC2\x80\x7F");
  EXPECT_THAT(read->sandbox.read, ElementsAre("/srv/\xE9", "/srv/\xC3\xA9"));
}

}  // namespace
}  // namespace mcph
