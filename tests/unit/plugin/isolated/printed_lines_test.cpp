#include "plugin/isolated/printed_lines.hpp"

#include <array>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class PrintedLinesTest : public ::testing::Test {
 protected:
  static std::array<FileDescriptor, 2> make_pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  }
  void print(std::string_view text) const {
    ASSERT_EQ(::write(pipe_[1].get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  std::array<FileDescriptor, 2> pipe_ = make_pipe();
  std::vector<std::string> lines_;
  PrintedLines printed_{std::move(pipe_[0]), [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(PrintedLinesTest, AreGivenWhenTheyAreWhole) {
  print("first\nsec");
  EXPECT_EQ(printed_.read(), PrintedLines::Read::some);
  EXPECT_THAT(lines_, ElementsAre("first"));
  print("ond\n\n");
  printed_.read();
  EXPECT_THAT(lines_, ElementsAre("first", "second", ""));
}

TEST_F(PrintedLinesTest, EndWithTheirProcess) {
  print("last words");
  printed_.read();
  printed_.end();
  printed_.end();
  EXPECT_THAT(lines_, ElementsAre("last words"));
  pipe_[1] = {};
  EXPECT_EQ(printed_.read(), PrintedLines::Read::end);
}

TEST_F(PrintedLinesTest, AreGivenInPiecesWhereTheyAreLong) {
  print(std::string(PrintedLines::max_line_bytes + 1, 'x') + "\n");
  printed_.read();
  EXPECT_THAT(lines_, ElementsAre(SizeIs(PrintedLines::max_line_bytes), "x"));
}

TEST_F(PrintedLinesTest, AreReadInPortions) {
  print(std::string((std::size_t{64} << 10) - 1, 'x'));
  print("\n");
  EXPECT_EQ(printed_.read(), PrintedLines::Read::much);
  EXPECT_EQ(printed_.read(), PrintedLines::Read::some);
}

}  // namespace
}  // namespace mcph
