#include "config/toml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

std::string mistake_in(std::string_view text) {
  const auto read = read_toml(text);
  return read ? "read" : read.error().message;
}

TEST(Toml, IsReadAsJson) {
  const auto read = read_toml("truth = true\nnumber = -7\nhalf = 0.5\n[a.b]\nwords = ['x', 'y']\n[[a.c]]\nd = 1\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Json(read->json), Json::parse(R"({"truth": true, "number": -7, "half": 0.5,
                                               "a": {"b": {"words": ["x", "y"]}, "c": [{"d": 1}]}})"));
}

TEST(Toml, SaysWhereEachKeyAndValueStands) {
  const auto read = read_toml("[http]\n  listen = 'x'\nhosts = ['é', 'b']\n'a/b' = 1\n");
  ASSERT_TRUE(read) << read.error().message;
  const auto& listen = read->places.at("/http/listen");
  EXPECT_EQ(listen.key.line, 2);
  EXPECT_EQ(listen.key.column, 3);
  EXPECT_EQ(listen.value.column, 12);
  EXPECT_EQ(read->places.at("/http/hosts/1").value.column, 15);
  EXPECT_EQ(read->places.at("/http/a~1b").key.line, 4);
}

TEST(Toml, IsRefusedWithLineAndColumn) {
  EXPECT_THAT(mistake_in("a = 1\nb = \n"), ::testing::StartsWith("2:5: "));
  EXPECT_THAT(mistake_in("a = 1\na = 2\n"), ::testing::StartsWith("2:"));
  EXPECT_THAT(mistake_in("\xff = 1"), ::testing::StartsWith("1:1: "));
}

TEST(Toml, IsRefusedInWordsOfTheFileAndNotOfTheParser) {
  EXPECT_EQ(mistake_in("listen: 'x'\n"), "1:7: not valid TOML (key-value pair): expected '=', saw ':'");
  EXPECT_EQ(mistake_in("a"), "1:2: not valid TOML (key-value pair): the text ends too early");
  EXPECT_EQ(mistake_in("a = loc\n"), "1:5: not valid TOML (value): it is no value; a text must be in quotes");
  EXPECT_EQ(mistake_in("a = tru\n"),
            "1:8: not valid TOML (boolean): expected 'true', saw 'tru '; a text must be in quotes");
  EXPECT_EQ(mistake_in("\xff = 1"), "1:1: not valid UTF-8");
}

TEST(Toml, HasNoValueThatJsonLacks) {
  for (const auto* value : {"1979-05-27", "07:32:00", "inf", "nan"}) {
    EXPECT_THAT(mistake_in(std::string("\nwhen = ") + value),
                ::testing::StartsWith("2:8: a date, a time, inf and nan"));
  }
}

TEST(Toml, IsWrittenAsItIsRead) {
  const auto json = OrderedJson::parse(R"({
    "empty": [], "mixed": [1, {"b": [{"c": "d"}]}], "text": "\"\\\n\u007fé", "odd key.": true,
    "table": {"inner": {"x": 1.5}, "last": "first"}, "rows": [{"a": 1, "sub": {"b": 2}}, {"a": 2}], "none": {}})");
  const auto read = read_toml(to_toml(json));
  ASSERT_TRUE(read) << read.error().message << "\n" << to_toml(json);
  EXPECT_EQ(Json(read->json), Json(json)) << to_toml(json);
}

TEST(Toml, LeavesOutWhatIsNull) {
  EXPECT_EQ(to_toml(OrderedJson::parse(R"({"a": null, "b": 1})")), "b = 1\n");
}

TEST(Toml, HasOtherCharactersThanAsciiInQuotesAndCommentsOnly) {
  for (const auto* const good :
       {"a = \"\u00e9\" # \u00e9\n\"\u00e9\" = '\u00e9'",
        "\xEF\xBB\xBF"
        "a = 1",
        "a = \"\"\"\u00e9\"\"\"\"\"\nb = ''", "a = \"\\\"\u00e9\"", "a = \"\"\"\\\n\u00e9\"\"\""})
    EXPECT_TRUE(read_toml(good).has_value()) << good << ": " << read_toml(good).error().message;
  for (const auto* const bad : {"\u00e9 = 1", "a = \u00e9", "[\u00e9]", "a = 1'\u00e9'"}) {
    const auto read = read_toml(std::string("a1 = 'x'\n") + bad);
    ASSERT_TRUE(read.has_error()) << bad;
    EXPECT_EQ(read.error().message.substr(0, 2), "2:") << bad;
  }
  EXPECT_EQ(read_toml("a = ['\u00e9', \u00e9]").error().message.substr(0, 6), "1:11: ");
}

}  // namespace
}  // namespace mcph
