#include "dashboard/shared_status.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace mcph {
namespace {

class SharedStatusTest : public ::testing::Test {
 protected:
  OrderedJson look() {
    ++looks_;
    return {
        {"ok", true},
        {"host", {{"version", "1"}, {"upSeconds", looks_}}},
        {"plugins",
         {{{"file", "/a.so"}, {"state", "serving"}}, {{"file", "/a.so"}, {"state", "draining"}, {"digest", "d1"}}}}};
  }

  int looks_ = 0;
};

TEST_F(SharedStatusTest, IsMadeOnceForAllWhoLookAtTheSameTime) {
  SharedStatus status([this] { return look(); }, std::chrono::hours(1));
  const auto first = status.get();
  EXPECT_EQ(status.get(), first);
  EXPECT_EQ(looks_, 1);
}

TEST_F(SharedStatusTest, IsMadeAnewWhenItIsOld) {
  SharedStatus status([this] { return look(); }, std::chrono::milliseconds(0));
  const auto first = status.get();
  const auto second = status.get();
  EXPECT_EQ(looks_, 2);
  EXPECT_NE(first->rest, second->rest);
  EXPECT_EQ(first->lasting, second->lasting);
}

TEST_F(SharedStatusTest, HasARowForEachVersionOfAFile) {
  const auto texts = SharedStatus([this] { return look(); }).get();
  ASSERT_EQ(texts->plugins.size(), 2U);
  EXPECT_EQ(texts->order, R"(["/a.so","/a.so#d1"])");
  EXPECT_EQ(texts->plugins.at(0).row, R"({"file":"/a.so","state":"serving"})");
}

TEST_F(SharedStatusTest, HasARowForEachOfTwoThatDrainAndAreOneBuild) {
  const auto texts =
      SharedStatus([this] {
        auto status = look();
        status["plugins"].push_back({{"file", "/a.so"}, {"state", "draining"}, {"digest", "d1"}, {"inFlight", 1}});
        return status;
      }).get();
  ASSERT_EQ(texts->plugins.size(), 3U);
  EXPECT_EQ(texts->order, R"(["/a.so","/a.so#d1","/a.so#d1#2"])");
  EXPECT_EQ(texts->plugins.at(2).key, "/a.so#d1#2");
}

}  // namespace
}  // namespace mcph
