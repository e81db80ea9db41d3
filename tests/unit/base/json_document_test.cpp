#include "base/json_document.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mcph {
namespace {

using ::testing::ElementsAre;

// What parse_json makes of a text, or why it refuses it.
std::string as_tree(const std::string& text) {
  const auto parsed = parse_json(text, default_json_depth, DuplicateKeys::refuse);
  return parsed.has_value() ? "read " + dump(*parsed) : parsed.error().message;
}

std::string as_document(const std::string& text) {
  const auto read = JsonDocument::read(text);
  return read.has_value() ? "read " + dump(read->root().json()) : read.error().message;
}

const std::vector<std::string> texts = {
    "",
    " ",
    "null",
    "true",
    "false",
    "tru",
    "nul",
    "nullx",
    "0",
    "-0",
    "-",
    "00",
    "01",
    "-01",
    "1.",
    ".5",
    "1.5",
    "-1.5e3",
    "1e",
    "1e+",
    "1E-2",
    "1e400",
    "-1e400",
    "1e-400",
    "0.0000000000000000000000000001e+20",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "123456789012345678901234567890",
    "+1",
    "1 2",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[",
    "]",
    "[]",
    "[[]]",
    "[1,[2,[3]],{}]",
    "{",
    "}",
    "{}",
    "{,}",
    R"({"a"})",
    R"({"a":})",
    R"({"a":1,})",
    R"({"a":1 "b":2})",
    R"({"a":1,"b":[true,null]})",
    R"({a:1})",
    R"({1:2})",
    R"({"a":1,"a":2})",
    R"({"a":1,"\u0061":2})",
    R"({"b":1,"a":{"b":1,"a":2,"b":3}})",
    R"("text")",
    R"("text)",
    R"("a\"b\\c\/d\b\f\n\r\t")",
    R"("\x")",
    R"("\u12")",
    R"("\u12g4")",
    R"("\u00e4\u20ac\ud83d\ude00")",
    R"("\ud83d")",
    R"("\ud83dx")",
    R"("\ud83d\u0041")",
    R"("\ude00")",
    R"("\u0000")",
    "\"a\tb\"",
    "\"a\nb\"",
    "\"\x7F\"",
    "\"\xC3\xA4\"",
    "\"\xC3\"",
    "\"\xFF\"",
    "\"\xED\xA0\x80\"",
    "\"\xC0\x80\"",
    "\"\xF0\x9F\x98\x80 long enough for words\"",
    "\"\xF5\x80\x80\x80\"",
    "\xEF\xBB\xBF{}",
    std::string("[1\0]", 4),
    std::string("\"\0\"", 3),
    " \r\n\t[ 1 , 2 ]\n",
    "0." + std::string(max_number_size - 2, '3'),
    "0." + std::string(max_number_size - 1, '3'),
    "-1" + std::string(max_number_size, '0') + "e-1024",
    "[1]x",
    "// 1",
    "NaN",
    "Infinity",
    "'a'",
    R"({"a long key with \n in it":1,"another":"a long text with \u00e4 in it, behind more than eight bytes"})",
};

TEST(JsonDocument, ReadsWhatParseJsonReadsAndRefusesTheSameInTheSameWords) {
  for (const auto& text : texts) {
    EXPECT_EQ(as_document(text), as_tree(text)) << text;
    const auto nested = R"({"x":[)" + text + R"(,"y"]})";
    EXPECT_EQ(as_document(nested), as_tree(nested)) << nested;
  }
}

// Its strings are read several bytes at a time, and far from their ends more at a time.
TEST(JsonDocument, FindsWhatIsSpecialAtEachPlaceOfAString) {
  for (const std::string special : {"\"", "\\", "\n", "\x1F", "\x7F", "\\n", "\xC3\xA4", "\xC3", "\x80", "\xFF"}) {
    for (std::size_t place = 0; place <= 200; ++place) {
      const auto text = '"' + std::string(place, 'a') + special + std::string(200 - place, 'b') + '"';
      EXPECT_EQ(as_document(text), as_tree(text)) << special << " at " << place;
    }
  }
}

TEST(JsonDocument, KnowsWhatIsOneLine) {
  for (int i = 0; i < 2; ++i) {  // with an index that was used before
    const auto document = JsonDocument::read_own("\n{\"in\":[1,\r2],\r\n\"beside\":\"\\n\"}\n").value();
    EXPECT_FALSE(document.root().is_one_line());
    EXPECT_FALSE(document.root().find("in").is_one_line());
    EXPECT_TRUE(document.root().find("beside").is_one_line());
    EXPECT_TRUE(document.root().find("nowhere").is_one_line());
    EXPECT_TRUE(JsonDocument::read("\n[1, \t2]\r").value().root().is_one_line());
    EXPECT_TRUE(JsonDocument::read(R"({"a":"\n"})").value().root().is_one_line());
  }
}

TEST(JsonDocument, HasALimitOfDepth) {
  for (const std::size_t levels : {63, 64, 65, 1000}) {
    const auto text = std::string(levels, '[') + std::string(levels, ']');
    EXPECT_EQ(as_document(text), as_tree(text)) << levels;
  }
  const auto deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_TRUE(JsonDocument::read(deep, deep.size()).has_value());
}

TEST(JsonDocument, ShowsItsValuesAsTheyAreWritten) {
  const std::string text = R"( {"b": [1, -2.50, "x\u0041"], "a": {"c" : true}, "\u0064": null} )";
  const auto document = JsonDocument::read(text).value();
  const auto root = document.root();
  EXPECT_EQ(root.text(), text.substr(1, text.size() - 2));
  EXPECT_EQ(root.size(), 3U);
  const auto list = root.find("b");
  EXPECT_EQ(list.text(), R"([1, -2.50, "x\u0041"])");
  std::vector<std::string_view> elements;
  for (const auto element : list.elements())
    elements.push_back(element.text());
  EXPECT_THAT(elements, ElementsAre("1", "-2.50", R"("x\u0041")"));
  std::vector<std::string_view> keys;
  for (const auto [key, value] : root.members())
    keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("a", "b", "d"));
  EXPECT_TRUE(root.find("a").find("c").boolean());
  EXPECT_TRUE(root.find("d").is_null());
}

TEST(JsonDocument, ShowsKeysAsValues) {
  const auto document = JsonDocument::read_own(R"({"b": 1, "\u0061\n": {"c": 2}})").value();
  std::vector<std::string> said;
  for (const auto member : document.root().members()) {
    const auto key = member.key_as_value();
    EXPECT_TRUE(key.is_string());
    EXPECT_EQ(key.values(), 1U);
    EXPECT_EQ(key.string(), member.key);
    said.emplace_back(key.text());
  }
  EXPECT_THAT(said, ElementsAre(R"("\u0061\n")", R"("b")"));
}

TEST(JsonDocument, AnswersAboutWhatIsNotThere) {
  const auto document = JsonDocument::read_own(R"({"a":[1]})").value();
  for (const auto absent : {document.root().find("b"), document.root().find("a").find("b"), JsonValue()}) {
    EXPECT_FALSE(absent);
    EXPECT_FALSE(absent.is_null() || absent.is_string() || absent.is_object() || absent.is_number());
    EXPECT_FALSE(absent.is("a") || absent.contains("a"));
    EXPECT_EQ(absent.text(), "");
    EXPECT_EQ(absent.size(), 0U);
    EXPECT_TRUE(absent.json().is_null());
    for (const auto element : absent.elements())
      ADD_FAILURE() << element.text();
    for (const auto [key, value] : absent.members())
      ADD_FAILURE() << key;
  }
}

TEST(JsonDocument, TellsStringsWithoutTheirEscapes) {
  const auto document = JsonDocument::read_own(R"(["plain","a\n\u00e4\ud83d\ude00",""])").value();
  std::vector<std::string> said;
  for (const auto element : document.root().elements())
    said.push_back(element.string());
  EXPECT_THAT(said, ElementsAre("plain", "a\n\xC3\xA4\xF0\x9F\x98\x80", ""));
  std::string storage;
  const auto first = (*document.root().elements().begin()).string(storage);
  EXPECT_EQ(first, "plain");
  EXPECT_TRUE(storage.empty());
}

TEST(JsonDocument, ComparesStringsByWhatTheySay) {
  const std::string long_text(200, 'x');
  const std::vector<std::string> in_order = {R"("")",
                                             R"("\u0000")",
                                             R"("\n")",
                                             R"("5")",
                                             R"("5\n5")",
                                             R"("55")",
                                             R"("A")",
                                             "\"" + long_text + "\"",
                                             "\"" + long_text + R"(\u0001")",
                                             R"("\u00e4")",
                                             R"("\ud83d\ude00")"};
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    for (std::size_t j = 0; j < in_order.size(); ++j) {
      const auto a = JsonDocument::read(in_order[i]);
      const auto b = JsonDocument::read(in_order[j]);
      EXPECT_EQ(compare_strings(a->root(), b->root()), i <=> j) << in_order[i] << " " << in_order[j];
    }
  }
  const auto plain = JsonDocument::read(R"("a/b")");
  const auto escaped = JsonDocument::read(R"("\u0061\/b")");
  EXPECT_TRUE(std::is_eq(compare_strings(plain->root(), escaped->root())));
}

TEST(JsonDocument, FindsEachOfManyMembers) {
  nlohmann::json tree;
  for (int i = 0; i < 1000; ++i)
    tree["key" + std::to_string(i * 7919 % 1000)] = i;
  const auto document = JsonDocument::of(tree);
  for (const auto& [key, value] : tree.items())
    EXPECT_EQ(document.root().find(key).json(), value);
  EXPECT_FALSE(document.root().find("key1000"));
}

TEST(JsonDocument, KeepsItsValuesGoodWhenItIsMoved) {
  auto document = JsonDocument::read_own(R"({"a":"x"})").value();
  const auto value = document.root().find("a");
  const auto moved = std::move(document);
  EXPECT_EQ(value.string(), "x");
  EXPECT_EQ(moved.root().find("a"), value);
}

TEST(JsonDocument, IsGivenBackOnAnyThread) {
  for (int i = 0; i < 100; ++i) {
    auto document = JsonDocument::read_own("[" + std::to_string(i) + "]").value();
    std::thread([given = std::move(document), i] {
      EXPECT_EQ(given.root().text(), "[" + std::to_string(i) + "]");
    }).join();
  }
}

}  // namespace
}  // namespace mcph
