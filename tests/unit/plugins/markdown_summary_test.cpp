#include "docs/markdown_summary.hpp"

#include <string>

#include <gtest/gtest.h>

namespace plugins::docs {
namespace {

std::string title(std::string_view text) {
  return summarize_markdown(text).title;
}

std::string paragraph(std::string_view text) {
  return summarize_markdown(text).paragraph;
}

TEST(MarkdownSummary, TitleIsTheFirstHeading) {
  EXPECT_EQ(title("# Guide\n\n## Install\n"), "Guide");
  EXPECT_EQ(title("text\n\n## Install\n# Guide\n"), "Install");
  EXPECT_EQ(title("# Guide #\r\n"), "Guide");
  EXPECT_EQ(title("# C#\n"), "C#");
  EXPECT_EQ(title("Guide\n=====\n"), "Guide");
}

TEST(MarkdownSummary, HeadingMayBeUnderlinedWithEitherSign) {
  EXPECT_EQ(title("Guide\n---------\n\nText.\n"), "Guide");
  EXPECT_EQ(paragraph("Guide\n---------\n\nText.\n"), "Text.");
  EXPECT_EQ(paragraph("# Guide\nInstall\n---\nText.\n"), "Text.");
  EXPECT_EQ(title("Guide\n=-=\n"), "");
  EXPECT_EQ(title("text\n\n---\n\n# Guide\n"), "Guide");
}

TEST(MarkdownSummary, ByteOrderMarkIsNoPartOfTheText) {
  EXPECT_EQ(title("\xEF\xBB\xBF# Guide\n"), "Guide");
  EXPECT_EQ(title("\xEF\xBB\xBF---\n# yaml\n---\n# Guide\n"), "Guide");
  EXPECT_EQ(paragraph("\xEF\xBB\xBFText.\n"), "Text.");
}

TEST(MarkdownSummary, WhatLooksLikeAHeadingIsNone) {
  EXPECT_EQ(title("#hashtag\n"), "");
  EXPECT_EQ(title("```sh\n# comment\n```\n"), "");
  EXPECT_EQ(title("---\n# yaml\n---\n# Guide\n"), "Guide");
  EXPECT_EQ(title("#######  seven\n"), "");
  EXPECT_EQ(title("#\n"), "");
}

TEST(MarkdownSummary, ParagraphIsTheFirstOfText) {
  EXPECT_EQ(paragraph("# Guide\n\nHow to\ninstall.\n\nMore.\n"), "How to install.");
  EXPECT_EQ(paragraph("# Guide\n[![badge](x)](y)\n\n> quoted\n\n**Note** this.\n"), "**Note** this.");
  EXPECT_EQ(paragraph("# Guide\nText.\n## Next\n"), "Text.");
  EXPECT_EQ(paragraph("# Guide\n"), "");
}

TEST(MarkdownSummary, LongParagraphIsCutBetweenCharacters) {
  std::string text = "x";
  for (int i = 0; i < 150; ++i)
    text += "\xC3\xA4";
  const std::string cut = paragraph(text);
  EXPECT_EQ(cut, text.substr(0, 199) + "...");
}

TEST(MarkdownSummary, LongTitleIsCutToo) {
  const std::string text(1'000'000, 'x');
  EXPECT_EQ(title("# " + text), text.substr(0, 200) + "...");
  EXPECT_EQ(title(text + "\n===\n"), text.substr(0, 200) + "...");
}

TEST(MarkdownSummary, EmptyTextHasNothing) {
  EXPECT_EQ(title(""), "");
  EXPECT_EQ(paragraph("\n\n"), "");
  EXPECT_EQ(title("---\nnever closed\n"), "");
}

}  // namespace
}  // namespace plugins::docs
