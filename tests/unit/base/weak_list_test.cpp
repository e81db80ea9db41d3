#include "base/weak_list.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(WeakListTest, HasWhatIsStillThere) {
  WeakList<int> list;
  std::vector<std::shared_ptr<int>> stay;
  for (int i = 0; i < 100; ++i) {
    const auto added = std::make_shared<int>(i);
    list.add(added);
    if (i % 10 == 0) stay.push_back(added);
  }
  EXPECT_EQ(list.living(), stay);
  EXPECT_EQ(list.size(), 10U);
  stay.clear();
  EXPECT_EQ(list.size(), 0U);
}

TEST(WeakListTest, HasRoomInPlaceOfWhatIsGone) {
  WeakList<int> list;
  auto first = std::make_shared<int>(1);
  const auto second = std::make_shared<int>(2);
  list.add(first);
  EXPECT_TRUE(list.has_room(2));
  list.add(second);
  EXPECT_FALSE(list.has_room(2));
  first.reset();
  EXPECT_TRUE(list.has_room(2));
}

}  // namespace
}  // namespace mcph
