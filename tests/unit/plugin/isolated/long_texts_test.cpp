#include "plugin/isolated/long_texts.hpp"

#include <optional>
#include <string>
#include <sys/stat.h>

#include <gtest/gtest.h>

namespace mcph {
namespace {

constexpr std::uint32_t everything = SharedRings::long_text_bytes;

class LongTextsTest : public ::testing::Test {
 protected:
  std::optional<std::uint32_t> lay(std::size_t size) { return writer_.lay(std::string(size, 'x'), {}); }
  std::string at(std::uint32_t begin, std::size_t size) const {
    std::string text(size, '\0');
    reader_.copy(begin, text.data(), size);
    return text;
  }
  // Of the system's memory, by the everything file.
  std::size_t bytes_in_use() const {
    struct ::stat status {};
    EXPECT_EQ(::fstat(made_.second.get(), &status), 0);
    return static_cast<std::size_t>(status.st_blocks) * 512;
  }

  std::pair<std::shared_ptr<SharedRings>, FileDescriptor> made_ = SharedRings::make();
  LongTextWriter writer_{SharedRings::map(made_.second)};
  LongTextReader reader_{made_.first};
};

TEST_F(LongTextsTest, LieOneBehindTheOther) {
  const auto begin = writer_.lay("a text", "more");
  ASSERT_EQ(begin, 0U);
  EXPECT_EQ(at(0, 10), "a textmore");
  const auto next = writer_.lay("next", {});
  ASSERT_EQ(next, 10U);
  EXPECT_EQ(at(0, 14), "a textmorenext");
}

TEST_F(LongTextsTest, TakeAllThereIsAndNoMore) {
  EXPECT_EQ(lay(everything + 1), std::nullopt);
  EXPECT_EQ(lay(0), std::nullopt);
  ASSERT_EQ(lay(everything), 0U);
  EXPECT_EQ(lay(1), std::nullopt);
  reader_.free_place();
  EXPECT_EQ(lay(1), 0U);
}

TEST_F(LongTextsTest, BeginAgainWhereNothingLies) {
  ASSERT_EQ(lay(1000), 0U);
  ASSERT_EQ(lay(1000), 1000U);
  reader_.free_place();
  reader_.free_place();
  EXPECT_EQ(lay(1000), 0U) << "where the memory has been used already";
}

TEST_F(LongTextsTest, GoAroundTheEnd) {
  ASSERT_EQ(lay(everything / 2), 0U);
  ASSERT_EQ(lay(everything / 4), everything / 2);
  reader_.free_place();
  ASSERT_EQ(lay(everything / 2), 0U) << "there is no room for it at the end";
  EXPECT_EQ(lay(1), std::nullopt) << "the first one that is left begins there";
  reader_.free_place();
  EXPECT_EQ(lay(everything / 2), everything / 2);
  EXPECT_EQ(lay(1), std::nullopt);
}

TEST_F(LongTextsTest, LeaveAPlaceThatWasTakenBack) {
  ASSERT_EQ(lay(1000), 0U);
  ASSERT_EQ(lay(1000), 1000U);
  writer_.take_back();
  EXPECT_EQ(lay(2000), 1000U);
}

TEST_F(LongTextsTest, RefuseACountThatCannotBe) {
  ASSERT_EQ(lay(1000), 0U);
  reader_.free_place();
  reader_.free_place();
  EXPECT_EQ(lay(1000), std::nullopt);
  made_.first->long_texts_freed() = ~0U;
  EXPECT_EQ(lay(1000), std::nullopt);
}

TEST_F(LongTextsTest, HaveNoPlaceOutsideTheirMemory) {
  EXPECT_TRUE(LongTextReader::has_place(0, everything));
  EXPECT_TRUE(LongTextReader::has_place(everything, 0));
  EXPECT_FALSE(LongTextReader::has_place(1, everything));
  EXPECT_FALSE(LongTextReader::has_place(everything, 1));
  EXPECT_FALSE(LongTextReader::has_place(~std::uint64_t{0}, 2));
  EXPECT_FALSE(LongTextReader::has_place(2, ~std::uint64_t{0}));
}

TEST_F(LongTextsTest, GiveTheirMemoryBackOnceAllAreRead) {
  const auto before = bytes_in_use();
  ASSERT_EQ(lay(1 << 20), 0U);
  EXPECT_GE(bytes_in_use(), before + (1 << 20));
  writer_.give_back();
  EXPECT_EQ(at(0, 1), "x");
  reader_.free_place();
  writer_.give_back();
  EXPECT_EQ(bytes_in_use(), before);
  ASSERT_EQ(lay(4), 0U);
  EXPECT_EQ(at(0, 4), "xxxx");
}

}  // namespace
}  // namespace mcph
