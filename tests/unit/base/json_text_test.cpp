#include "base/json_text.hpp"

#include <chrono>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/processor_time.hpp"

namespace mcph {
namespace {

std::string error_of(std::string_view text) {
  const auto parsed = parse_json(text);
  return parsed ? "accepted" : parsed.error().message;
}

std::string nested(std::size_t levels, std::string_view open = "[", std::string_view close = "]") {
  std::string text;
  for (std::size_t level = 0; level < levels; ++level) {
    text += open;
  }
  for (std::size_t level = 0; level < levels; ++level) {
    text += close;
  }
  return text;
}

std::string object_of(std::size_t keys) {
  std::string text = "{";
  for (std::size_t key = 0; key < keys; ++key) {
    text += (key > 0 ? ",\"k" : "\"k") + std::to_string(key) + "\":[1,2,3]";
  }
  return text + "}";
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const auto parsed = parse_json(" {\"a\": [1, -2, 1.5e3, true, false, null, \"\\u00e4\\n\\\"[\"], \"b\": {}}\r\n\t");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(parsed->at("a").at(0), 1);
  EXPECT_EQ(parsed->at("a").at(1), -2);
  EXPECT_EQ(parsed->at("a").at(2), 1500.0);
  EXPECT_EQ(parsed->at("a").at(6), "\xC3\xA4\n\"[");
  EXPECT_EQ(parsed->at("b"), nlohmann::json::object());
}

TEST(ParseJson, KeepsIntegersOf64BitsExact) {
  EXPECT_EQ(dump(*parse_json("[9007199254740993,-9223372036854775808,18446744073709551615]")),
            "[9007199254740993,-9223372036854775808,18446744073709551615]");
}

TEST(ParseJson, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error_of("{\"a\": tru}"), "not valid JSON at line 1, column 10: invalid literal");
  EXPECT_EQ(error_of("{\n  \"a\": 1,\n}"),
            "not valid JSON at line 3, column 1: unexpected '}'; expected string literal");
  EXPECT_EQ(error_of("[1, 2"), "not valid JSON at line 1, column 6: unexpected end of input; expected ']'");
  EXPECT_EQ(error_of("[1] x"), "not valid JSON at line 1, column 5: invalid literal");
  EXPECT_EQ(error_of("{} {}"), "not valid JSON at line 1, column 4: unexpected '{'; expected end of input");
  EXPECT_EQ(error_of("\"a"), "not valid JSON at line 1, column 3: invalid string: missing closing quote");
  EXPECT_EQ(error_of(""), "not valid JSON: the text is empty");
  EXPECT_EQ(error_of(" \n"), "not valid JSON: the text is empty");
}

TEST(ParseJson, NeverRepeatsBytesOfTheInputThatAreNotText) {
  EXPECT_EQ(error_of("\"\xFF\""), "not valid JSON at line 1, column 2: invalid string: ill-formed UTF-8 byte");
  EXPECT_EQ(error_of("\xFF"), "not valid JSON at line 1, column 1: invalid literal");
  EXPECT_EQ(error_of("\"last read - ] \xC0\x80\""),
            "not valid JSON at line 1, column 16: invalid string: ill-formed UTF-8 byte");
}

TEST(ParseJson, RefusesNumbersThatJsonDoesNotHave) {
  for (const auto* text : {"NaN", "Infinity", "-Infinity", "+1", "01", ".5", "1.", "0x10", "[NaN]"}) {
    EXPECT_FALSE(parse_json(text).has_value()) << text;
  }
  EXPECT_EQ(error_of("1e999"), "not usable JSON at line 1, column 1: the number 1e999 is beyond the range of a double");
  EXPECT_EQ(error_of("{\n  \"a\": [1, -1e999, 2]}"),
            "not usable JSON at line 2, column 12: the number -1e999 is beyond the range of a double");
}

TEST(ParseJson, RefusesInvalidUtf8Everywhere) {
  for (const auto* text : {"\"\xC3\"", "\"\xC0\xAF\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"", "{\"\x80\":1}",
                           "[1]\xC2\xA0", "\"\\ud800\""}) {
    EXPECT_FALSE(parse_json(text).has_value()) << text;
  }
}

TEST(ParseJson, RefusesAZeroByteAndWhatHidesBehindIt) {
  EXPECT_EQ(error_of(std::string_view("123\0garbage", 11)), "not valid JSON at line 1, column 4: zero byte");
  EXPECT_EQ(error_of(std::string_view("\0", 1)), "not valid JSON at line 1, column 1: zero byte");
  EXPECT_EQ(parse_json("\"\\u0000\"")->get<std::string>(), std::string(1, '\0'));
}

TEST(ParseJson, RefusesAByteOrderMark) {
  EXPECT_EQ(error_of("\xEF\xBB\xBF{}"),
            "not valid JSON: the text begins with a byte order mark (EF BB BF); send it without");
}

TEST(ParseJson, LetsTheLastOfEqualKeysCountOrRefusesThem) {
  const auto refusal_of = [](std::string_view text) {
    const auto parsed = parse_json(text, default_json_depth, DuplicateKeys::refuse);
    return parsed ? "accepted" : parsed.error().message;
  };
  EXPECT_EQ(dump(*parse_json(R"({"a":1,"a":{"b":2}})")), R"({"a":{"b":2}})");
  EXPECT_EQ(refusal_of(R"({"a":1,"a":1})"), R"(not usable JSON: an object has the key "a" twice)");
  EXPECT_EQ(refusal_of(R"([{"b":{"a":1,"\u0061":2}}])"), R"(not usable JSON: an object has the key "a" twice)");
  EXPECT_EQ(refusal_of(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})"), "accepted");
  // Another case, or another way to write the same letter, is another key.
  EXPECT_EQ(refusal_of(R"({"a":1,"A":2,"\u00e4":3,"a\u0308":4})"), "accepted");
  EXPECT_EQ(refusal_of("{\"" + std::string(1000, 'x') + "\":1,\"" + std::string(1000, 'x') + "\":2}").size(), 107U);
  EXPECT_EQ(parse_ordered_json(R"({"a":1,"a":1})").error().message,
            R"(not usable JSON: an object has the key "a" twice)");
}

TEST(ParseJson, ReadsIntegersBeyond64BitsAsDoubles) {
  EXPECT_EQ(*parse_json("18446744073709551616"), 18446744073709551616.0);
  EXPECT_EQ(*parse_json("-9223372036854775809"), -9223372036854775809.0);
  EXPECT_TRUE(parse_json("100000000000000000000")->is_number_float());
}

TEST(ParseJson, RefusesANumberThatIsTooLong) {
  const auto of_size = [](std::size_t size) { return "0." + std::string(size - 2, '3'); };
  EXPECT_TRUE(parse_json(of_size(max_number_size)));
  EXPECT_EQ(error_of('[' + of_size(max_number_size + 1) + ']'),
            "not usable JSON: a number has 513 characters; the limit is 512");
}

TEST(ParseJson, AcceptsNestingUpToTheLimitAndNotBeyond) {
  EXPECT_TRUE(parse_json(nested(64)).has_value());
  EXPECT_EQ(error_of(nested(65)), "JSON nested deeper than 64 levels at line 1, column 65");
  EXPECT_TRUE(parse_json("[[1]]", 2).has_value());
  EXPECT_FALSE(parse_json("[[{}]]", 2).has_value());
  EXPECT_FALSE(parse_json("[]", 0).has_value());
  EXPECT_TRUE(parse_json("1", 0).has_value());
}

TEST(ParseJson, CountsOnlyNestingThatIsOpenAtOnce) {
  std::string text = "[";
  for (int element = 0; element < 1000; ++element) {
    text += "[{}],";
  }
  EXPECT_TRUE(parse_json(text + "1]", 3).has_value());
}

TEST(ParseJson, DoesNotCountBracketsInStrings) {
  EXPECT_TRUE(parse_json(R"(["[[[[", "\"[[[[", "\\", "{{{{\\\"{"])", 1).has_value());
  EXPECT_FALSE(parse_json(R"(["\\",[1]])", 1).has_value());
}

TEST(ParseJson, SurvivesHostileNesting) {
  EXPECT_FALSE(parse_json(std::string(10'000'000, '[')).has_value());
  EXPECT_FALSE(parse_json(nested(1'000'000, "{\"a\":", "}")).has_value());
  EXPECT_FALSE(parse_json(std::string(1'000'000, ']')).has_value());
  EXPECT_FALSE(parse_json("\"" + std::string(1'000'001, '\\')).has_value());
}

TEST(ParseJson, RefusesWhatIsCutOffAnywhere) {
  const std::string text = R"({"a":[1,{"b":"x\"y\u00e4"},true,null,-1.5e-3],"c":{}})";
  ASSERT_TRUE(parse_json(text).has_value());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parse_json(text.substr(0, size)).has_value()) << size;
    EXPECT_FALSE(parse_ordered_json(text.substr(0, size)).has_value()) << size;
  }
}

TEST(ParseOrderedJson, KeepsTheOrderOfKeys) {
  const auto parsed = parse_ordered_json(R"({"zebra":1,"apple":{"z":1,"a":2},"mango":3})");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(dump(*parsed), R"({"zebra":1,"apple":{"z":1,"a":2},"mango":3})");
}

TEST(ParseOrderedJson, RefusesLikeParseJson) {
  EXPECT_EQ(parse_ordered_json("{\"a\":}").error().message, error_of("{\"a\":}"));
  EXPECT_EQ(parse_ordered_json(nested(65)).error().message, error_of(nested(65)));
}

TEST(ParseOrderedJson, AcceptsObjectsUpToTheLimitOfKeysAndNotBeyond) {
  const auto at_limit = parse_ordered_json(object_of(4096));
  ASSERT_TRUE(at_limit.has_value()) << at_limit.error().message;
  EXPECT_EQ(at_limit->size(), 4096U);
  EXPECT_EQ(parse_ordered_json(object_of(4097)).error().message,
            "JSON object with more than 4096 keys at line 1, column 64427");
  EXPECT_TRUE(parse_json(object_of(4097)).has_value());
}

TEST(ParseOrderedJson, DoesNotLimitArraysOrKeysOfDifferentObjects) {
  std::string numbers = "[0";
  std::string objects = "[{}";
  for (int element = 0; element < 5000; ++element) {
    numbers += ",1";
    objects += ",{\"a\":\",\",\"b\":2}";
  }
  EXPECT_TRUE(parse_ordered_json(numbers + "]").has_value());
  EXPECT_TRUE(parse_ordered_json(objects + "]").has_value());
}

TEST(ParseOrderedJson, RefusesAHugeObjectWithoutBuildingIt) {
  const auto text = object_of(200'000);
  const auto start = test::processor_time();
  EXPECT_FALSE(parse_ordered_json(text).has_value());
  // Building it would take most of a minute.
  EXPECT_LT(test::processor_time() - start, std::chrono::seconds(20));
}

std::string as_json_string(std::string_view text) {
  std::string out = "before:";
  append_json_string(out, text);
  return out;
}

TEST(AppendJsonString, QuotesPlainText) {
  EXPECT_EQ(as_json_string(""), R"(before:"")");
  EXPECT_EQ(as_json_string({}), R"(before:"")");
  EXPECT_EQ(as_json_string("plain ~ text\x7F"), "before:\"plain ~ text\x7F\"");
}

TEST(AppendJsonString, EscapesWhatJsonRequires) {
  EXPECT_EQ(as_json_string("a\"b\\c/d"), R"(before:"a\"b\\c/d")");
  EXPECT_EQ(as_json_string("\b\f\n\r\t"), R"(before:"\b\f\n\r\t")");
  EXPECT_EQ(as_json_string(std::string_view("\0\x1F", 2)), "before:\"\\u0000\\u001f\"");
}

TEST(AppendJsonString, KeepsValidUtf8AndReplacesWhatIsNot) {
  EXPECT_EQ(as_json_string("\xC3\xA4\xE4\xB8\x96\xF0\x9F\x98\x80"), "before:\"\xC3\xA4\xE4\xB8\x96\xF0\x9F\x98\x80\"");
  EXPECT_EQ(as_json_string("a\xFF"
                           "b"),
            "before:\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(as_json_string("cut \xE4\xB8"), "before:\"cut \xEF\xBF\xBD\"");
}

// Strings are looked at several bytes at a time, and far from their ends more at a time.
TEST(AppendJsonString, FindsWhatIsSpecialAtEachPlaceOfAString) {
  for (const std::string special : {"\"", "\\", "\n", "\x1F", "\x7F", "\xC3\xA4", "\xFF"}) {
    for (std::size_t place = 0; place <= 200; ++place) {
      const auto text = std::string(place, 'a') + special + std::string(200 - place, 'b');
      const auto expected = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      EXPECT_EQ(as_json_string(text), "before:" + expected) << special << " at " << place;
    }
  }
}

TEST(AppendJsonString, WritesForEveryPairOfBytesTextThatParsesBack) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string bytes{static_cast<char>(first), static_cast<char>(second)};
      std::string out;
      append_json_string(out, bytes);
      const auto parsed = parse_json(out);
      ASSERT_TRUE(parsed.has_value()) << first << " " << second;
      if (first < 0x80 && second < 0x80) {
        EXPECT_EQ(parsed->get<std::string>(), bytes);
      }
    }
  }
}

TEST(Dump, IsCompactAndNeverThrowsOnInvalidUtf8) {
  EXPECT_EQ(dump(nlohmann::json{{"b", 1}, {"a", "x\xFFy"}}), "{\"a\":\"x\xEF\xBF\xBDy\",\"b\":1}");
  EXPECT_EQ(dump(nlohmann::ordered_json{{"b", 1}, {"a", "x\xFFy"}}), "{\"b\":1,\"a\":\"x\xEF\xBF\xBDy\"}");
}

}  // namespace
}  // namespace mcph
