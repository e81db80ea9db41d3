#include "cli/terminal_text.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "cli/component_table.hpp"
#include "cli/operator_text.hpp"

namespace mcph {
namespace {

TEST(TerminalText, TakesTheColumnsThatATerminalShows) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("add"), 3U);
  EXPECT_EQ(display_width("für"), 3U);
  EXPECT_EQ(display_width("日本語"), 6U);
  EXPECT_EQ(display_width("\U0001F600"), 2U);
  EXPECT_EQ(display_width("e\u0301"), 1U);    // with a combining accent
  EXPECT_EQ(display_width("a\xFF\xC3"), 3U);  // no UTF-8
}

TEST(TerminalText, HasNoControlCharacters) {
  EXPECT_EQ(printable("a\x1B[2Jb\tc\x7F"), "a [2Jb c ");
  EXPECT_EQ(printable("a\u009B2Jb\u0080"), "a 2Jb ");
  EXPECT_EQ(printable("für \u00A0日本\xC2"), "für \u00A0日本\xC2");
}

TEST(TerminalText, KeepsItsLinesAndTabs) {
  EXPECT_EQ(printable_lines(""), "");
  EXPECT_EQ(printable_lines("a\x1B[2J\n\tb\r\n"), "a [2J\n\tb \n");
}

TEST(TerminalText, IsPaddedToColumnsAndNeverCut) {
  EXPECT_EQ(padded("add", 5), "add  ");
  EXPECT_EQ(padded("日本", 5), "日本 ");
  EXPECT_EQ(padded("e\u0301", 3), "e\u0301  ");
  EXPECT_EQ(padded("a\nb", 4), "a b ");
  EXPECT_EQ(padded("longer", 3), "longer");
}

TEST(TerminalText, IsCutOffAtTheEdgeWithItsColour) {
  EXPECT_EQ(cut("add", 5), "add");
  EXPECT_EQ(cut("calculate", 4), "calc");
  EXPECT_EQ(cut("日本語", 5), "日本");
  const Paint paint(true);
  EXPECT_EQ(cut(paint(Style::good, "serving") + " now", 4), "\x1b[32mserv\x1b[0m");
  EXPECT_EQ(cut(paint(Style::good, "ok") + " now", 5), "\x1b[32mok\x1b[0m no\x1b[0m");
}

TEST(TerminalText, ColoursTakeNoRoomInATable) {
  std::ostringstream out;
  print_table(out, {{"A", "B"}, {Cell("serving", Style::good), "1"}, {Cell("off", Style::faint), "2"}}, Paint(true));
  EXPECT_EQ(out.str(), "A        B\n\x1b[32mserving\x1b[0m  1\n\x1b[2moff\x1b[0m      2\n");
}

TEST(ComponentTable, BeginsEachDescriptionAtOneColumn) {
  const auto components = parse_components(R"({"prompts":[{"name":"ask","description":"A"},
      {"name":"日本語","description":"B"},{"name":"für","description":"C\u001b[2J\nmore"}]})");
  ASSERT_TRUE(components);
  std::ostringstream out;
  print_components(out, *components);
  EXPECT_EQ(out.str(),
            "  prompt    ask                          A\n"
            "  prompt    日本語                       B\n"
            "  prompt    für                          C [2J\n");
}

TEST(StatusTable, BeginsEachColumnAtOnePlace) {
  const auto plugin = [](const char* name) {
    return nlohmann::ordered_json{{"plugin", name}, {"file", "/c/tools/a.so"}, {"state", "serving"}};
  };
  std::ostringstream out;
  print_status(out, {{"host", {{"components", "/c"}}},
                     {"plugins", {plugin("add"), plugin("日本語"), plugin("e\u0301")}},
                     {"problems", nlohmann::ordered_json::array()}});
  EXPECT_NE(out.str().find("\nPLUGIN  FILE        "), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("\nadd     tools/a.so  "), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("\n日本語  tools/a.so  "), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("\ne\u0301       tools/a.so  "), std::string::npos) << out.str();
}

TEST(StatusTable, HasADisabledPluginWhoseNameNobodyKnowsAndEachFilesWholePath) {
  std::ostringstream out;
  print_status(out, {{"host", {{"components", "/c"}}},
                     {"plugins",
                      {{{"plugin", "add"}, {"file", "/c/tools/maths/add.so"}, {"state", "serving"}},
                       {{"file", "/c/tools/bad.so"}, {"state", "disabled"}}}},
                     {"problems", nlohmann::ordered_json::array()}});
  EXPECT_NE(out.str().find("\nadd     tools/maths/add.so  "), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("\n-       tools/bad.so        "), std::string::npos) << out.str();
}

TEST(StatusTable, SaysHowTheHostIsWhereItIsNotReady) {
  const auto first_line = [](const char* state) {
    std::ostringstream out;
    print_status(out, {{"host", {{"version", "1"}, {"components", "/c"}, {"state", state}, {"upSeconds", 5}}},
                       {"plugins", nlohmann::ordered_json::array()},
                       {"problems", nlohmann::ordered_json::array()}});
    return out.str().substr(0, out.str().find('\n'));
  };
  EXPECT_TRUE(first_line("ready").ends_with(", up 5 s")) << first_line("ready");
  EXPECT_TRUE(first_line("stopping").ends_with(", up 5 s, stopping")) << first_line("stopping");
}

}  // namespace
}  // namespace mcph
