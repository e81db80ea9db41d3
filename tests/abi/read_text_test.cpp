// What is read straight from text is what a tree would have given, and what is not JSON does no harm.
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>
#include <mcp/plugin/detail/json_text.hpp>
#include <mcp/plugin/detail/read_text.hpp>

namespace mcp::detail {
namespace {

enum class Size { small, large };

struct Inner {
  bool is_on = false;
  std::vector<double> numbers;
};

struct Outer {
  std::string name;
  std::int8_t little = 0;
  std::optional<std::uint32_t> count;
  Size size = Size::small;
  std::vector<Inner> inner;
  std::map<std::string, int> by_name;
  std::variant<int, std::string> either;
};

// A value of T as text, or why there is none.
template <class T, class Read>
std::string told(const Read& read) {
  try {
    return json_text(read());
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

template <class T>
void expect_the_same(const std::string& json) {
  const Place place{nullptr, "it"};
  EXPECT_EQ(told<T>([&] { return decode_text<T>(json, place); }),
            told<T>([&] { return decode<T>(*parsed(json), place); }))
      << json;
}

template <class... T>
void expect_the_same_of_all(const std::string& json) {
  (expect_the_same<T>(json), ...);
}

const std::vector<std::string> texts = {"null",
                                        "true",
                                        "false",
                                        "0",
                                        "-0",
                                        "7",
                                        "-7",
                                        "127",
                                        "128",
                                        "-129",
                                        "255",
                                        "4294967296",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "3.0",
                                        "3.5",
                                        "-0.0",
                                        "1e3",
                                        "1E400",
                                        "5e-324",
                                        "0.1",
                                        "123456789012345678901234567890",
                                        R"("")",
                                        R"("small")",
                                        R"("lar\u0067e")",
                                        R"("huge")",
                                        R"("7")",
                                        R"("a \"b\" \\ \/ \b\f\n\r\t")",
                                        R"("\u00e9\u4e16\ud83d\ude00 é世😀")",
                                        R"("\ud83d")",
                                        R"("\ude00")",
                                        R"("\u12")",
                                        R"("\x")",
                                        "[]",
                                        "[ ]",
                                        "[1]",
                                        "[1,2, 3 ]",
                                        "[1.5,null]",
                                        R"(["a","b"])",
                                        R"([["a"],[]])",
                                        "[1,]",
                                        "[1 2]",
                                        "{}",
                                        R"({"is_on":true,"numbers":[1,2]})",
                                        R"( { "is_on" : true , "numbers" : [ ] } )",
                                        R"({"is_on":true})",
                                        R"({"is\u005fon":true,"numbers":[]})",
                                        R"({"is_on":false,"is_on":true,"numbers":[]})",
                                        R"({"is_on":true,"numbers":[],"more":{"a":["}","]",{}]}})",
                                        R"({"is_on":"yes","numbers":[]})"};

TEST(ReadText, IsWhatATreeWouldHaveGiven) {
  for (const auto& text : texts) {
    expect_the_same_of_all<bool, std::int8_t, std::uint8_t, std::int64_t, std::uint64_t, float, double, std::string,
                           Size, std::optional<int>, std::optional<std::string>, std::vector<int>,
                           std::vector<std::string>, std::vector<std::vector<std::string>>, Inner, std::optional<Inner>,
                           std::variant<int, std::string>, Json>(text);
  }
}

const std::string outer =
    R"({"name":"a\nb","little":-3,"count":null,"size":"large","inner":[{"is_on":true,"numbers":[1,2.5]}],)"
    R"("by_name":{"x":1},"either":"text"})";

TEST(ReadText, StructsHaveMembersOfAllKinds) {
  const auto read = decode_text<Outer>(outer, Place{});
  EXPECT_EQ(read.name, "a\nb");
  EXPECT_EQ(read.little, -3);
  EXPECT_EQ(read.count, std::nullopt);
  EXPECT_EQ(read.size, Size::large);
  ASSERT_EQ(read.inner.size(), 1U);
  EXPECT_EQ(read.inner[0].numbers, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(read.by_name.at("x"), 1);
  EXPECT_EQ(std::get<std::string>(read.either), "text");
}

struct Range {
  std::optional<int> from = 1;
  std::optional<int> to = 10;
};

struct WithDefaults {
  std::vector<std::string> tags = {"all"};
  Range range = {.from = 3, .to = 30};
};

TEST(ReadText, NothingStaysOfTheDefaultOfAMemberThatIsGiven) {
  const std::string given = R"({"tags":["x"],"range":{"from":5}})";
  const auto read = decode_text<WithDefaults>(given, Place{});
  EXPECT_EQ(read.tags, std::vector<std::string>{"x"});
  EXPECT_EQ(read.range.from, 5);
  EXPECT_EQ(read.range.to, 10);
  expect_the_same<WithDefaults>(given);
}

TEST(ReadText, SaysWhereAMemberIsWrong) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"-3", "true"},      {"null", "-1"},      {R"("large")", R"("huge")"}, {"2.5", R"("2")"},
      {R"({"x":1})", "7"}, {R"("text")", "[]"}, {R"("name":"a\nb",)", ""}};
  for (const auto& [right, wrong] : changes) {
    auto text = outer;
    text.replace(text.find(right), right.size(), wrong);
    expect_the_same<Outer>(text);
    EXPECT_THROW(decode_text<Outer>(text, Place{}), std::invalid_argument) << text;
  }
}

TEST(ReadText, WideStructsAndManyMembersAreRead) {
  std::string wide = R"({"is_on":true,"numbers":[1])";
  for (int i = 0; i < 40; ++i)
    wide += ",\"more" + std::to_string(i) + "\":0";
  expect_the_same<Inner>(wide + '}');
}

// Cut off anywhere, and with any byte in any place, it is a value or a reason, under AddressSanitizer too.
TEST(ReadText, WhatIsMalformedDoesNoHarm) {
  for (std::size_t size = 0; size < outer.size(); ++size) {
    const std::string cut = outer.substr(0, size);
    EXPECT_THROW(decode_text<Outer>(cut, Place{}), std::invalid_argument) << cut;
    for (const char c : {'"', '\\', '{', '}', '[', ']', ',', ':', '\0', '\xff', '-', 'e'}) {
      auto changed = outer;
      changed[size] = c;
      told<Outer>([&] { return decode_text<Outer>(changed, Place{}); });
    }
  }
}

TEST(WrittenText, IsWhatATreeWouldHaveWritten) {
  std::vector<std::string> all = {"",         "plain",        "é世😀", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                  "\xc0\xaf", "cut \xe4\xb8", "\x7f"};
  for (int c = 0; c < 256; ++c) {
    for (const std::size_t before : {0U, 3U, 7U, 8U, 9U})
      all.push_back(std::string(before, 'a') + static_cast<char>(c) + "bcdefghijk");
  }
  for (const auto& text : all)
    EXPECT_EQ(json_string(text), dump_json(Json(text)));
}

// Strings are looked at several bytes at a time, and far from their ends more at a time.
TEST(WrittenText, HasEscapesForWhatIsSpecialAtEachPlaceOfAString) {
  for (const std::string special : {"\"", "\\", "\n", "\x1F", "\x7F", "\xC3\xA4", "\xC3", "\x80", "\xFF"}) {
    for (std::size_t place = 0; place <= 100; ++place) {
      const auto text = std::string(place, 'a') + special + std::string(100 - place, 'b');
      EXPECT_EQ(json_string(text), dump_json(Json(text))) << special << " at " << place;
    }
  }
}

}  // namespace
}  // namespace mcp::detail
