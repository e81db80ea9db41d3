#include "check/example_values.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/json_text.hpp"
#include "check/pattern_text.hpp"
#include "check/schema_lies.hpp"

namespace mcph {
namespace {

// The schema and values of it.
struct Values {
  explicit Values(const std::string& text)
      : schema(OrderedJson::parse(text)), values(schema, Schema::compile(schema).value()) {}

  OrderedJson schema;
  ExampleValues values;
};

std::string usual(const std::string& schema) {
  const auto value = Values(schema).values.usual();
  return value ? dump(*value) : "none";
}

bool contains(const std::vector<ExampleValues::Named>& all, const std::string& what) {
  return std::ranges::any_of(all, [&](const auto& each) { return each.what == what; });
}

TEST(ExampleValuesTest, TakesAllMembersThatAreDescribed) {
  EXPECT_EQ(usual(R"({"type": "object", "required": ["a"],
                      "properties": {"a": {"type": "integer", "minimum": 3}, "b": {"type": "boolean"}}})"),
            R"({"a":3,"b":true})");
}

TEST(ExampleValuesTest, KeepsToBoundsFormatsAndPatterns) {
  EXPECT_EQ(usual(R"({"type": "number", "exclusiveMaximum": -1, "multipleOf": 2})"), "-2");
  EXPECT_EQ(usual(R"({"type": "string", "minLength": 9})"), R"("exampleee")");
  EXPECT_EQ(usual(R"({"type": "string", "format": "date"})"), R"("2026-01-31")");
  EXPECT_EQ(usual(R"({"type": "string", "pattern": "^[A-Z]{2}-\\d+$"})"), R"("AA-0")");
  EXPECT_EQ(usual(R"({"type": "array", "minItems": 2, "uniqueItems": true, "items": {"type": "string"}})"),
            R"(["example","example1"])");
}

TEST(ExampleValuesTest, FollowsReferencesAndAlternatives) {
  EXPECT_EQ(usual(R"({"$defs": {"n": {"type": "integer"}}, "type": "object", "properties": {"a": {"$ref": "#/$defs/n"},
                      "b": {"anyOf": [{"type": "null"}, {"type": "string"}]}}})"),
            R"({"a":1,"b":null})");
}

TEST(ExampleValuesTest, PrefersWhatItsAuthorSays) {
  EXPECT_EQ(usual(R"({"type": "string", "examples": ["Ada"], "default": "Bob"})"), R"("Ada")");
  EXPECT_EQ(usual(R"({"enum": ["red", "blue"]})"), R"("red")");
}

TEST(ExampleValuesTest, GivesNothingWhereNothingIsFound) {
  EXPECT_EQ(usual(R"({"type": "string", "pattern": "^(?=x)y$"})"), "none");
}

TEST(ExampleValuesTest, GoesToTheBordersAndNoFurther) {
  const Values values(R"({"type": "object", "properties": {"a": {"type": "integer", "minimum": 1, "maximum": 9},
                          "t": {"type": "string", "maxLength": 3}}})");
  const auto border = values.values.border();
  EXPECT_TRUE(contains(border, "\"a\" at its maximum"));
  EXPECT_FALSE(contains(border, "\"a\" -1"));
  EXPECT_TRUE(contains(border, "\"t\" empty"));
  EXPECT_TRUE(contains(border, "\"t\" long"));
  for (const auto& [what, value] : border)
    EXPECT_FALSE(Schema::compile(values.schema)->validate(value)) << what;
}

TEST(ExampleValuesTest, GivesWhatIsNotTaken) {
  const Values values(R"({"type": "object", "required": ["a"], "additionalProperties": false,
                          "properties": {"a": {"type": "integer"}}})");
  const auto invalid = values.values.invalid();
  EXPECT_TRUE(contains(invalid, "without \"a\""));
  EXPECT_TRUE(contains(invalid, "a member that nobody knows"));
  for (const auto& [what, value] : invalid)
    EXPECT_TRUE(Schema::compile(values.schema)->validate(value)) << what;
}

TEST(ExampleValuesTest, EndsInASchemaThatContainsItself) {
  EXPECT_NE(usual(R"({"type": "object", "properties": {"next": {"$ref": "#"}, "a": {"type": "integer"}}})"), "none");
}

TEST(ExampleValuesTest, GivesUpASchemaThatContainsItselfManyTimes) {
  std::string members;
  std::string parts;
  for (int i = 0; i < 20; ++i) {
    members += (i == 0 ? "\"m" : ", \"m") + std::to_string(i) + R"(": {"$ref": "#"})";
    parts += i == 0 ? R"({"$ref": "#"})" : R"(, {"$ref": "#"})";
  }
  EXPECT_EQ(usual(R"({"type": "object", "properties": {)" + members + "}}"), "{}");
  usual(R"({"type": "object", "properties": {"a": {"allOf": [)" + parts + "]}}}");  // comes back
}

TEST(PatternTextTest, WritesTheLeastThatMatches) {
  EXPECT_EQ(text_matching("^a+b*(c|d)?[^x]$"), "aa");
  EXPECT_EQ(text_matching("(?:ab){2}\\.\\w"), "abab.a");
  EXPECT_EQ(text_matching("[]"), "");
  EXPECT_EQ(text_matching("a{"), "a{");
  EXPECT_EQ(text_matching("\\"), std::string(1, '\0'));
}

TEST(SchemaLiesTest, FindsWhatCannotBeMeant) {
  const auto lies = lies_in_schema(OrderedJson::parse(R"({"type": "object", "required": ["b"], "properties": {
      "a": {"type": "integer", "default": "x"}, "c": {"type": "string", "minLength": 3, "maxLength": 2}}})"));
  ASSERT_EQ(lies.size(), 3U);
  EXPECT_TRUE(lies[0].starts_with("the schema requires \"b\"")) << lies[0];
  EXPECT_TRUE(lies[1].starts_with("/properties/a has the default \"x\"")) << lies[1];
  EXPECT_TRUE(lies[2].starts_with("/properties/c has a minLength above its maxLength")) << lies[2];
}

TEST(SchemaLiesTest, KnowsThatOtherMembersMayBeDescribedTogether) {
  for (const std::string keyword : {"additionalProperties", "unevaluatedProperties"}) {
    const auto schema = R"({"type": "object", "required": ["a"], ")" + keyword + "\": ";
    EXPECT_TRUE(lies_in_schema(OrderedJson::parse(schema + R"({"type": "number"}})")).empty()) << keyword;
    EXPECT_EQ(lies_in_schema(OrderedJson::parse(schema + "false}")).size(), 1U) << keyword;
  }
}

TEST(SchemaLiesTest, KnowsThatWhoRefersToAPartMayDescribeWhatItRequires) {
  for (const std::string holder : {"$defs", "definitions"}) {
    const auto schema = R"({"allOf": [{"$ref": "#/)" + holder + R"(/m"}], "properties": {"a": {}}, ")" + holder +
                        R"(": {"m": {"required": ["a"])";
    EXPECT_TRUE(lies_in_schema(OrderedJson::parse(schema + "}}}")).empty()) << holder;
    EXPECT_EQ(lies_in_schema(OrderedJson::parse(schema + R"(, "properties": {"b": {}}}}})")).size(), 1U) << holder;
  }
}

}  // namespace
}  // namespace mcph
