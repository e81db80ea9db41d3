#include "sources/upstream/message_lines.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::SizeIs;
using ::testing::StartsWith;

class MessageLinesTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_;
  std::vector<std::size_t> sizes_;
  std::string beginning_;
  std::string end_;
  MessageLines reader_{1000,
                       {.line = [this](std::string_view line) { lines_.emplace_back(line); },
                        .long_line =
                            [this](std::size_t size, std::string_view beginning, std::string_view end) {
                              sizes_.push_back(size);
                              beginning_ = beginning;
                              end_ = end;
                            }}};
};

TEST_F(MessageLinesTest, PutsPiecesTogether) {
  for (const char* const piece : {"on", "e\ntwo\r\n\nth", "ree"})
    reader_.add(piece);
  EXPECT_THAT(lines_, ElementsAre("one", "two"));
  reader_.add("\n");
  EXPECT_THAT(lines_, ElementsAre("one", "two", "three"));
}

TEST_F(MessageLinesTest, OfALineThatIsTooLongOnlyItsEndsAreKept) {
  reader_.add("BEGIN" + std::string(990, 'x'));
  for (int i = 0; i < 1000; ++i)
    reader_.add(std::string(100, 'x'));
  reader_.add("END\nnext\n");
  EXPECT_THAT(sizes_, ElementsAre(5 + 990 + 100'000 + 3));
  EXPECT_THAT(beginning_, StartsWith("BEGINxx"));
  EXPECT_THAT(beginning_, SizeIs(256));
  EXPECT_THAT(end_, EndsWith("xxEND"));
  EXPECT_THAT(end_, SizeIs(256));
  EXPECT_THAT(lines_, ElementsAre("next"));
}

TEST_F(MessageLinesTest, ALineOfTheVeryLengthIsKept) {
  reader_.add(std::string(1000, 'x') + "\n");
  EXPECT_THAT(lines_, ElementsAre(std::string(1000, 'x')));
  reader_.add(std::string(1001, 'x') + "\n");
  EXPECT_THAT(sizes_, ElementsAre(1001));
}

}  // namespace
}  // namespace mcph
