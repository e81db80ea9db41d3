#include "plugin/isolated/last_lines.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

TEST(LastLinesTest, AreInTheirOrderAndTakenOnce) {
  LastLines lines;
  EXPECT_EQ(lines.take(), "");
  lines.add("terminate called after throwing an instance of 'std::runtime_error'");
  lines.add("  what():  static init threw\r");
  lines.add("");
  lines.add(" \t ");
  EXPECT_EQ(lines.take(),
            "terminate called after throwing an instance of 'std::runtime_error' | what():  static init threw");
  EXPECT_EQ(lines.take(), "");
}

TEST(LastLinesTest, AreTheLastOnes) {
  LastLines lines;
  for (int i = 0; i < 1000; ++i)
    lines.add(std::to_string(i));
  EXPECT_EQ(lines.take(), "990 | 991 | 992 | 993 | 994 | 995 | 996 | 997 | 998 | 999");
}

TEST(LastLinesTest, AreNoFramesOfBoxes) {
  LastLines lines;
  for (const auto* const line : {"  ╭──────╮", "  │      │", "│  ▄▀▀ █▀█ █▀▀  │", "│  FastServer 4.2 │", "╰──────╯",
                                 "+-----+", "=====", "| port in use |", "дом закрыт"})
    lines.add(line);
  EXPECT_EQ(lines.take(), "FastServer 4.2 | port in use | дом закрыт");
}

TEST(LastLinesTest, AreCutOffBetweenCharacters) {
  LastLines lines;
  lines.add(std::string(LastLines::max_line_bytes - 1, 'x') + "\u00e9 and more");
  EXPECT_EQ(lines.take(), std::string(LastLines::max_line_bytes - 1, 'x'));
}

TEST(LastLinesTest, AreFewerWhereTheyAreLong) {
  LastLines lines;
  for (const char c : {'a', 'b', 'c', 'd', 'e', 'f'})
    lines.add(std::string(1000, c));
  const auto line = [](char c) { return std::string(LastLines::max_line_bytes, c); };
  EXPECT_EQ(lines.take(), line('c') + " | " + line('d') + " | " + line('e') + " | " + line('f'));
}

}  // namespace
}  // namespace mcph
