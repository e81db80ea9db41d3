#include "support/schema_verdict.hpp"

namespace mcph {
namespace {

using test::compile_error;
using test::expect_invalid;
using test::expect_valid;
using test::verdict;

TEST(SchemaPattern, IsSearchedForAnywhere) {
  expect_valid(R"({"pattern":"b+"})", {R"("abc")", "1", "null"});
  EXPECT_EQ(verdict(R"({"pattern":"^[a-z]+$"})", R"("Abc")"),
            R"( [pattern] the value must match "^[a-z]+$", but is "Abc")");
}

TEST(SchemaPattern, MeansWhatItMeansInEcma262) {
  // The end is the end, not a line break before it.
  expect_invalid(R"({"pattern":"^a$"})", {R"("a\n")"});
  expect_invalid(R"({"pattern":"^.$"})", {R"("\u2028")", R"("\r")"});
  expect_valid(R"({"pattern":"^\\s$"})", {R"("\ufeff")", R"("\u00a0")", R"(" ")"});
  expect_invalid(R"({"pattern":"^[\\S]$"})", {R"("\u2003")"});
  expect_invalid(R"({"pattern":"^\\d$"})", {R"("\u0663")"});
  expect_invalid(R"({"pattern":"^\\w$"})", {R"("\u00e4")"});
  expect_valid(R"({"pattern":"^[^]$"})", {R"("\n")"});
  expect_invalid(R"({"pattern":"[]"})", {R"("a")", R"("")"});
  expect_valid(R"({"pattern":"^\\cA\\x41\\u0042\\u{1F600}\\ud83d\\ude00\\0$"})",
               {R"("\u0001AB\ud83d\ude00\ud83d\ude00\u0000")"});
  expect_valid(R"({"pattern":"^.$"})", {R"("\ud83d\ude00")"});
  expect_valid(R"({"pattern":"^(a)?\\1b$"})", {R"("b")", R"("aab")"});
  expect_valid(R"({"pattern":"^(?<y>\\d\\d)-\\k<y>$"})", {R"("20-20")"});
  expect_valid(R"({"pattern":"^(?!.*\\.\\.)(?<=^)[a-z.]+?$"})", {R"("a.b")"});
  expect_invalid(R"({"pattern":"^(?!.*\\.\\.)[a-z.]+$"})", {R"("a..b")"});
}

TEST(SchemaPattern, KnowsUnicodeProperties) {
  expect_valid(R"({"pattern":"^\\p{Letter}\\p{Lu}\\p{Script=Greek}\\p{Alphabetic}\\P{Nd}$"})",
               {R"("\u00e4A\u03b1bc")"});
  expect_invalid(R"({"pattern":"^[\\p{Uppercase_Letter}]$"})", {R"("a")"});
}

TEST(SchemaPattern, TakesWhatManySchemasGetWrong) {
  expect_valid(R"({"pattern":"^{[a-z]}\\-\\@]$"})", {R"("{a}-@]")"});
  expect_valid(R"({"pattern":"^[\\w-.]+$"})", {R"("a-.b")"});
}

TEST(SchemaPattern, ThatIsNoExpressionIsRefused) {
  EXPECT_EQ(compile_error(R"({"properties":{"a":{"pattern":"[a-"}}})"),
            "/properties/a/pattern: \"[a-\" is no usable regular expression: a class has no \"]\", at byte 3");
  EXPECT_EQ(compile_error(R"({"additionalProperties":false,"patternProperties":{"(":{}}})"),
            "/patternProperties: \"(\" is no usable regular expression: a group has no end, at byte 1");
  EXPECT_EQ(compile_error(R"({"pattern":"\\Z"})"),
            R"(/pattern: "\\Z" is no usable regular expression: ECMA-262 has no escape "\Z", at byte 2)");
  EXPECT_EQ(compile_error(R"({"pattern":1})"), "/pattern: must be a string");
  for (const auto* pattern :
       {"a**",     "a++",      "*a",       "(?i)a", "(?>a)",  "(?P<n>a)",      "(*ACCEPT)", "\\\\Qa\\\\E",
        "\\\\1",   "(a)\\\\2", "\\\\k<n>", "[b-a]", "a{2,1}", "\\\\u{110000}", "\\\\ud800", "\\\\p{Nonsense}",
        "\\\\p{L", ")",        "(?<=a+)b", "\\\\",  "^*",     "(?<n",          "a\\\\c1"}) {
    EXPECT_NE(compile_error(R"({"pattern":")" + std::string(pattern) + "\"}"), "accepted") << pattern;
  }
  EXPECT_NE(compile_error(R"({"pattern":")" + std::string(9000, 'a') + "\"}"), "accepted");
}

TEST(SchemaPattern, DecidesAboutProperties) {
  constexpr auto headers = R"({"properties":{"id":true},"patternProperties":{"^x-":{"type":"string"}},
                               "additionalProperties":false})";
  expect_valid(headers, {R"({"id":1,"x-a":"b"})"});
  EXPECT_EQ(verdict(headers, R"({"x-a":1})"), R"(/x-a [type] "x-a" must be a string, but is 1)");
  EXPECT_EQ(
      verdict(headers, R"({"y":1})"),
      R"(/y [additionalProperties] "y" is not allowed; the known properties are "id" and those that fit a pattern)");
  EXPECT_EQ(verdict(R"({"propertyNames":{"maxLength":2}})", R"({"abc":1})"),
            R"(/abc [propertyNames] "abc" has a name that is not allowed: as a name, "abc" must have at most 2 )"
            R"(characters, but has 3)");
  expect_valid(R"({"propertyNames":{"enum":["a\nb","c"]}})", {R"({"\u0061\u000ab":1,"c":2})"});
  expect_invalid(R"({"propertyNames":{"type":"number"}})", {R"({"1":2})"});
}

}  // namespace
}  // namespace mcph
