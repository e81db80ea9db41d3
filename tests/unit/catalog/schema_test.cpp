#include "catalog/schema.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mcph {
namespace {

Schema compiled(std::string_view schema) {
  auto result = Schema::compile(nlohmann::ordered_json::parse(schema));
  if (!result) throw std::invalid_argument(result.error().message);
  return *std::move(result);
}

std::string compile_error(std::string_view schema) {
  const auto result = Schema::compile(nlohmann::ordered_json::parse(schema));
  return result ? "accepted" : result.error().message;
}

std::optional<Violation> check(std::string_view schema, std::string_view instance) {
  return compiled(schema).validate(nlohmann::json::parse(instance));
}

// `path [keyword] message`, or `valid`.
std::string verdict(std::string_view schema, std::string_view instance) {
  const auto violation = check(schema, instance);
  return violation ? violation->path + " [" + violation->keyword + "] " + violation->message : "valid";
}

std::string with_defaults(std::string_view schema, std::string_view instance) {
  auto value = nlohmann::json::parse(instance);
  const auto violation = compiled(schema).apply_defaults(value);
  return violation ? violation->message : value.dump();
}

void expect_valid(std::string_view schema, std::initializer_list<std::string_view> instances) {
  for (const auto instance : instances) {
    EXPECT_EQ(verdict(schema, instance), "valid") << schema << " " << instance;
  }
}

void expect_invalid(std::string_view schema, std::initializer_list<std::string_view> instances) {
  for (const auto instance : instances) {
    EXPECT_NE(verdict(schema, instance), "valid") << schema << " " << instance;
  }
}

constexpr auto search_schema = R"({
  "type": "object",
  "properties": {
    "query": {"type": "string", "minLength": 1},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
    "filter": {
      "type": "object",
      "properties": {"tags": {"type": "array", "items": {"type": "string"}}, "year": {"type": "integer"}},
      "required": ["year"]
    }
  },
  "required": ["query"],
  "additionalProperties": false
})";

TEST(Schema, AcceptsArgumentsThatFit) {
  expect_valid(search_schema, {R"({"query":"a"})", R"({"query":"a","limit":100})",
                               R"({"query":"a","filter":{"year":2026,"tags":["x","y"],"other":1}})"});
}

TEST(Schema, NamesTheFieldTheRuleAndTheValue) {
  EXPECT_EQ(verdict(search_schema, R"({"query":"a","limit":250})"),
            R"(/limit [maximum] "limit" must be at most 100, but is 250)");
  EXPECT_EQ(verdict(search_schema, R"({"query":5})"), R"(/query [type] "query" must be a string, but is 5)");
  EXPECT_EQ(verdict(search_schema, R"({"limit":5})"), R"( [required] "query" is required, but absent)");
  EXPECT_EQ(
      verdict(search_schema, R"({"query":"a","limt":5})"),
      R"(/limt [additionalProperties] "limt" is not allowed; the known properties are "query", "limit", "filter")");
  EXPECT_EQ(verdict(search_schema, R"({"query":"a","filter":{}})"),
            R"(/filter [required] "filter.year" is required, but absent)");
  EXPECT_EQ(verdict(search_schema, R"({"query":"a","filter":{"year":1,"tags":["x",["y"]]}})"),
            R"(/filter/tags/1 [type] "filter.tags[1]" must be a string, but is an array of 1 item)");
  EXPECT_EQ(verdict(search_schema, "[]"), " [type] the value must be an object, but is an empty array");
}

TEST(Schema, WritesPathsAsJsonPointers) {
  EXPECT_EQ(verdict(R"({"additionalProperties":{"items":false}})", R"({"a/b~c":[1]})"),
            R"(/a~1b~0c/0 [false] "a/b~c[0]" is not allowed)");
}

TEST(Schema, KeepsMessagesShortAndValidUtf8) {
  const nlohmann::json hostile = std::string(1'000'000, 'x');
  const auto violation = compiled(R"({"type":"integer"})").validate(hostile);
  ASSERT_TRUE(violation);
  EXPECT_LT(violation->message.size(), 200U);
  const auto bytes = compiled(R"({"type":"integer"})").validate(nlohmann::json("\xFF"));
  EXPECT_EQ(bytes->message, "the value must be an integer, but is \"\xEF\xBF\xBD\"");
}

TEST(Schema, ChecksTypes) {
  expect_valid(R"({"type":"integer"})", {"1", "-1", "1.0", "1e300", "18446744073709551615"});
  expect_invalid(R"({"type":"integer"})", {"1.5", "\"1\"", "null", "true", "[1]"});
  expect_valid(R"({"type":["string","null"]})", {"\"\"", "null"});
  expect_invalid(R"({"type":["string","null"]})", {"1", "{}"});
  expect_invalid(R"({"type":"number"})", {"true", "\"1\""});
  expect_valid(R"({"type":"boolean"})", {"true", "false"});
  expect_invalid(R"({"type":"object"})", {"[]"});
  EXPECT_EQ(verdict(R"({"type":["string","null"]})", "true"),
            " [type] the value must be null or a string, but is true");
}

TEST(Schema, ComparesEnumAndConstByValue) {
  expect_valid(R"({"enum":[1,"a",null,[1,2],{"a":1,"b":[2]}]})",
               {"1", "1.0", "\"a\"", "null", "[1,2.0]", R"({"b":[2],"a":1.0})"});
  expect_invalid(R"({"enum":[1,"a",null,[1,2],{"a":1,"b":[2]}]})",
                 {"true", "\"b\"", "0", "false", "[2,1]", "[1]", R"({"a":1})", R"({"a":1,"b":[2],"c":3})"});
  expect_invalid(R"({"const":0})", {"false", "null", "\"\"", "[]"});
  expect_invalid(R"({"enum":[]})", {"1", "null"});
  EXPECT_EQ(verdict(R"({"properties":{"order":{"enum":["desc","asc"]}}})", R"({"order":"up"})"),
            R"(/order [enum] "order" must be one of "desc", "asc", but is "up")");
  EXPECT_EQ(verdict(R"({"const":{"b":1,"a":2}})", "{}"),
            R"( [const] the value must be {"a":2,"b":1}, but is an empty object)");
}

TEST(Schema, ComparesNumbersExactly) {
  // 2^53 + 1 is not a double; 2^53 is.
  expect_invalid(R"({"const":9007199254740993})", {"9007199254740992", "9007199254740992.0", "9007199254740994"});
  expect_invalid(R"({"maximum":9007199254740992.0})", {"9007199254740993"});
  expect_valid(R"({"exclusiveMinimum":9007199254740992.0})", {"9007199254740993"});
  // A signed and an unsigned number with the same bits.
  expect_invalid(R"({"const":18446744073709551615})", {"-1", "18446744073709551616.0"});
  expect_valid(R"({"minimum":-1})", {"18446744073709551615", "1e300"});
  expect_valid(R"({"maximum":18446744073709551615})", {"-1", "-1e300", "18446744073709551615"});
  expect_invalid(R"({"maximum":18446744073709551615})", {"18446744073709551616.0"});
  expect_invalid(R"({"minimum":18446744073709551616.0})", {"18446744073709551615"});
  expect_invalid(R"({"maximum":9223372036854775807})", {"9223372036854775808", "9223372036854775808.0"});
  expect_valid(R"({"minimum":-9223372036854775808})", {"-9223372036854775808", "-9223372036854775808.0"});
  expect_invalid(R"({"minimum":-9223372036854775808})", {"-9223372036854777856.0"});
  expect_invalid(R"({"minimum":0.5,"maximum":1.5})", {"0", "2", "-1", "1.6"});
  expect_valid(R"({"minimum":-1.5})", {"-1"});
  expect_invalid(R"({"minimum":-1.5})", {"-2"});
}

TEST(Schema, ChecksBoundsOfNumbersOnly) {
  expect_valid(R"({"minimum":1,"maximum":2})", {"1", "2", "1.5", "\"x\"", "null", "[]"});
  expect_invalid(R"({"exclusiveMinimum":1})", {"1", "1.0"});
  expect_invalid(R"({"exclusiveMaximum":1})", {"1", "1.0"});
  EXPECT_EQ(verdict(R"({"exclusiveMaximum":1})", "1.0"),
            " [exclusiveMaximum] the value must be less than 1, but is 1.0");
  EXPECT_EQ(verdict(R"({"exclusiveMinimum":1})", "0"), " [exclusiveMinimum] the value must be more than 1, but is 0");
  EXPECT_EQ(verdict(R"({"minimum":1})", "0"), " [minimum] the value must be at least 1, but is 0");
}

TEST(Schema, DividesAsPeopleDo) {
  expect_valid(R"({"multipleOf":0.01})", {"0", "0.07", "19.99", "4.35", "1e20", "-0.29", "\"x\""});
  expect_invalid(R"({"multipleOf":0.01})", {"0.075", "1e-3"});
  expect_valid(R"({"multipleOf":0.0001})", {"0.0075"});
  expect_valid(R"({"multipleOf":3})", {"9007199254740993", "-18", "18446744073709551615", "3e10"});
  expect_invalid(R"({"multipleOf":3})", {"9007199254740992", "18446744073709551614", "1e10"});
  expect_valid(R"({"multipleOf":4})", {"100", "1e2", "1e300"});
  expect_invalid(R"({"multipleOf":4})", {"10", "1e1"});
  expect_invalid(R"({"multipleOf":0.123456789})", {"1e308"});
  expect_valid(R"({"multipleOf":18446744073709551615})", {"18446744073709551615", "0"});
  expect_invalid(R"({"multipleOf":18446744073709551615})", {"1e300"});
  EXPECT_EQ(verdict(R"({"multipleOf":2})", "7"), " [multipleOf] the value must be a multiple of 2, but is 7");
}

TEST(Schema, CountsCharactersNotBytes) {
  expect_valid(R"({"minLength":2,"maxLength":2})", {"\"ab\"", "\"\\u00e4\\u4e16\"", "\"\\ud83d\\ude00x\"", "5"});
  expect_invalid(R"({"minLength":2})", {"\"\\ud83d\\ude00\"", "\"\\u4e16\"", "\"\""});
  EXPECT_EQ(verdict(R"({"minLength":1})", "\"\""), " [minLength] the value must have at least 1 character, but has 0");
  EXPECT_EQ(verdict(R"({"maxLength":2.0})", "\"abc\""),
            " [maxLength] the value must have at most 2 characters, but has 3");
}

TEST(Schema, ChecksArrays) {
  expect_valid(R"({"minItems":1,"maxItems":2})", {"[1]", "[1,2]", "{}", "\"\""});
  expect_invalid(R"({"minItems":1,"maxItems":2})", {"[]", "[1,2,3]"});
  constexpr auto tuple = R"({"prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"boolean"}})";
  expect_valid(tuple, {"[]", R"(["a"])", R"(["a",1,true,false])"});
  expect_invalid(tuple, {"[1]", R"(["a","b"])", R"(["a",1,2])"});
  expect_invalid(R"({"prefixItems":[true],"items":false})", {"[1,2]"});
}

TEST(Schema, FindsEqualItemsHoweverTheyAreWritten) {
  expect_valid(R"({"uniqueItems":true})", {"[]", "[1]", "[1,true,\"1\",[1],{\"a\":1},null,\"\"]", "[[1,2],[2,1]]",
                                           "[9007199254740993,9007199254740992.0]", "[-1,18446744073709551615]",
                                           R"([{"a":1},{"a":2},{"b":1}])", "\"aa\""});
  expect_invalid(R"({"uniqueItems":true})",
                 {"[1,2,1]", "[1,1.0]", "[null,null]", R"([{"a":1,"b":2},{"b":2,"a":1}])", "[[[]],[[]]]"});
  expect_valid(R"({"uniqueItems":false})", {"[1,1]"});
  EXPECT_EQ(verdict(R"({"uniqueItems":true})", "[5,6,5]"),
            " [uniqueItems] the value must not have equal items, but has 5 twice");
}

TEST(Schema, ChecksObjects) {
  expect_invalid(R"({"minProperties":1})", {"{}"});
  expect_valid(R"({"maxProperties":1})", {"{}", R"({"a":1})", "[1,2]"});
  EXPECT_EQ(verdict(R"({"maxProperties":1})", R"({"a":1,"b":2})"),
            " [maxProperties] the value must have at most 1 property, but has 2");
  constexpr auto map = R"({"properties":{"a":true,"b":false},"additionalProperties":{"type":"integer"}})";
  expect_valid(map, {R"({"a":"x","c":1})", "{}", "3"});
  expect_invalid(map, {R"({"b":1})", R"({"c":"x"})"});
  EXPECT_EQ(verdict(R"({"additionalProperties":false})", R"({"x":1})"),
            R"(/x [additionalProperties] "x" is not allowed; the object must be empty)");
  // Only the properties beside additionalProperties count.
  expect_invalid(R"({"allOf":[{"properties":{"a":true}}],"additionalProperties":false})", {R"({"a":1})"});
}

TEST(Schema, CombinesSubschemas) {
  expect_invalid(R"({"allOf":[{"minimum":1},{"maximum":2}]})", {"0", "3"});
  expect_valid(R"({"anyOf":[{"type":"string"},{"minimum":2}]})", {"\"a\"", "2", "null"});
  expect_valid(R"({"oneOf":[{"multipleOf":2},{"multipleOf":3}]})", {"2", "9"});
  expect_valid(R"({"not":{"type":"string"}})", {"1"});
  constexpr auto conditional = R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"multipleOf":3}})";
  expect_valid(conditional, {"20", "9", "\"x\""});
  expect_invalid(conditional, {"15", "5"});
  expect_valid(R"({"if":{"const":1}})", {"1", "2"});
  expect_valid(R"({"then":false,"else":false})", {"1"});
}

TEST(Schema, ExplainsWhyNoAlternativeFits) {
  EXPECT_EQ(
      verdict(R"({"properties":{"id":{"anyOf":[{"type":"null"},{"minLength":2,"type":"string"}]}}})", R"({"id":"x"})"),
      R"(/id [anyOf] "id" fits none of the allowed forms: (1) "id" must be null, but is "x"; )"
      R"((2) "id" must have at least 2 characters, but has 1)");
  EXPECT_EQ(verdict(R"({"oneOf":[{"type":"integer"},{"type":"string"},{"minimum":2}]})", "2"),
            " [oneOf] the value must fit exactly one of the allowed forms, but fits number 1 and 3");
  EXPECT_EQ(verdict(R"({"not":{}})", "2"), " [not] the value has a form that the schema's \"not\" rules out");
}

TEST(Schema, KeepsTheExplanationOfManyAlternativesShort) {
  nlohmann::ordered_json schema{{"anyOf", nlohmann::ordered_json::array()}};
  for (int form = 0; form < 1000; ++form) {
    schema["anyOf"].push_back({{"const", form}});
  }
  const auto violation = Schema::compile(schema)->validate(-1);
  ASSERT_TRUE(violation);
  EXPECT_LT(violation->message.size(), 1000U);
  EXPECT_NE(violation->message.find(" more"), std::string::npos);
}

TEST(Schema, ForgetsWhyAnAlternativeFailedWhenAnotherFits) {
  EXPECT_EQ(verdict(R"({"anyOf":[{"type":"null"},{"type":"integer"}],"allOf":[{"maximum":5}]})", "6"),
            " [maximum] the value must be at most 5, but is 6");
}

TEST(Schema, FollowsReferences) {
  expect_invalid(R"({"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"integer"}}})", {R"({"a":"b"})"});
  expect_invalid(R"({"properties":{"a":{"$ref":"#/definitions/x"}},"definitions":{"x":{"type":"integer"}}})",
                 {R"({"a":"b"})"});
  expect_invalid(R"({"properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"}}})", {R"({"b":"x"})"});
  expect_invalid(R"({"$ref":"#num","$defs":{"x":{"$anchor":"num","type":"number"}}})", {"\"x\""});
  expect_invalid(R"({"$ref":"#/$defs/a~1b%25/prefixItems/0","$defs":{"a/b%":{"prefixItems":[false]}}})", {"1"});
  expect_invalid(
      R"({"$ref":"#/x-shared/number","x-shared":{"number":{"$ref":"#/x-shared/int"},"int":{"type":"integer"}}})",
      {"1.5"});
  // A keyword beside $ref counts in 2020-12 and does not in draft-07.
  expect_invalid(R"({"$ref":"#/$defs/x","maximum":2,"$defs":{"x":{"minimum":1}}})", {"0", "3"});
  expect_valid(R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":
                {"a":{"$ref":"#/definitions/x","maximum":2}},"definitions":{"x":{"minimum":1}}})",
               {R"({"a":3})"});
}

TEST(Schema, TakesReferencesRelativeToTheNearestId) {
  constexpr auto schema = R"({
    "$id": "https://example.com/root", "$defs": {
      "x": {"type": "string"},
      "inner": {"$id": "https://example.com/inner", "$ref": "#/$defs/x", "$defs": {"x": {"type": "integer"}}}
    },
    "properties": {"a": {"$ref": "#/$defs/inner"}, "b": {"$ref": "#/$defs/x"}}
  })";
  expect_valid(schema, {R"({"a":1,"b":"s"})"});
  expect_invalid(schema, {R"({"a":"s"})", R"({"b":1})"});
  // Also where only a pointer leads into the inner schema.
  expect_invalid(R"({"$defs": {"x": {"type": "string"}}, "$ref": "#/x-library/inner/x-part", "x-library": {
                   "inner": {"$id": "https://example.com/inner", "$defs": {"x": {"type": "integer"}},
                             "x-part": {"$ref": "#/$defs/x"}}}})",
                 {"\"s\""});
  // In draft-07 an $id beside a $ref does not count.
  expect_invalid(R"({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"x": {"type": "integer"}},
                   "items": {"$id": "https://example.com/inner", "$ref": "#/definitions/x"}})",
                 {"[1.5]"});
}

TEST(Schema, ChecksRecursiveStructures) {
  constexpr auto tree = R"({"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}}},
                           "additionalProperties":false})";
  expect_valid(tree, {R"({"children":[{},{"children":[{"children":[]}]}]})"});
  EXPECT_EQ(verdict(tree, R"({"children":[{},{"children":[{"kids":1}]}]})"),
            R"(/children/1/children/0/kids [additionalProperties] "children[1].children[0].kids" is not allowed; )"
            R"(the known properties are "children")");
}

TEST(Schema, ReadsDraft07) {
  constexpr auto tuple = R"({"$schema":"http://json-schema.org/draft-07/schema#",
                            "items":[{"type":"string"},{"$ref":"#part"}],"additionalItems":false,
                            "definitions":{"p":{"$id":"#part","type":"integer"}}})";
  expect_valid(tuple, {"[]", R"(["a",1])"});
  expect_invalid(tuple, {"[1]", R"(["a","b"])", R"(["a",1,2])"});
  expect_valid(R"({"$schema":"http://json-schema.org/draft-07/schema","prefixItems":[false],"additionalItems":false})",
               {"[1]"});
  expect_valid(R"({"$schema":"https://json-schema.org/draft/2020-12/schema#","additionalItems":false})", {"[1]"});
}

TEST(Schema, BooleanSchemasAllowAllOrNothing) {
  expect_valid("true", {"1", "null"});
  expect_valid("{}", {"1", "null"});
  EXPECT_EQ(verdict("false", "1"), " [false] the value is not allowed");
}

TEST(Schema, IgnoresUnknownKeywordsAndAnnotations) {
  expect_valid(R"({"x-mcp-header":"A","format":"email","title":1,"description":[],"examples":{},"minimun":5})",
               {"1", "\"x\""});
  expect_valid(R"({"enum":[{"$ref":"#/nowhere","type":"nonsense"}],"default":{"$anchor":5}})",
               {R"({"$ref":"#/nowhere","type":"nonsense"})"});
}

TEST(Schema, TellsWhichKeywordsItDoesNotCheck) {
  EXPECT_EQ(compiled(R"({"pattern":"^a","properties":{"a":{"contains":{},"type":"array"},"b":{"propertyNames":{}}},
                        "patternProperties":{"^x":{}},"additionalProperties":false})")
                .unchecked_keywords(),
            (std::vector<std::string>{"/additionalProperties", "/pattern", "/patternProperties",
                                      "/properties/a/contains", "/properties/b/propertyNames"}));
  EXPECT_TRUE(compiled(search_schema).unchecked_keywords().empty());
  EXPECT_TRUE(compiled(R"({"properties":{"pattern":{"const":{"pattern":1}}}})").unchecked_keywords().empty());
}

TEST(Schema, NeverRefusesForAKeywordThatItDoesNotCheck) {
  expect_valid(R"({"not":{"pattern":"^x"}})", {"\"abc\"", "\"x\""});
  expect_valid(R"({"not":{"contains":{"const":1}}})", {"[2]"});
  expect_valid(R"({"oneOf":[{"pattern":"^[0-9]+$"},{"pattern":"^[a-z]+$"}]})", {"\"123\""});
  expect_valid(R"({"if":{"properties":{"kind":{"pattern":"^x"}}},"then":{"required":["x"]}})", {R"({"kind":"a"})"});
  expect_valid(R"({"if":{"pattern":"^x"},"then":true,"else":false})", {"\"x\""});
}

TEST(Schema, SeesAnUncheckedKeywordWhereverItIsApplied) {
  for (const auto* form :
       {R"({"$ref":"#/$defs/x"})", R"({"$ref":"#/$defs/y"})", R"({"allOf":[{"pattern":"^x"}]})",
        R"({"anyOf":[{"pattern":"^x"}]})", R"({"oneOf":[{"pattern":"^x"}]})", R"({"not":{"not":{"pattern":"^x"}}})",
        R"({"if":true,"then":{"pattern":"^x"}})", R"({"if":true,"else":{"pattern":"^x"}})"}) {
    const auto schema =
        R"({"not":)" + std::string(form) + R"(,"$defs":{"x":{"pattern":"^x"},"y":{"allOf":[{"$ref":"#/$defs/x"}]}}})";
    expect_valid(schema, {"\"abc\""});
  }
  expect_valid(R"({"not":{"items":{"pattern":"^x"}}})", {"[\"a\"]"});
  expect_valid(R"({"not":{"properties":{"a":{"additionalProperties":{"pattern":"^x"}}}}})", {R"({"a":{"b":"c"}})"});
  expect_valid(R"({"not":{"patternProperties":{"^x":true},"additionalProperties":false}})", {R"({"a":1})"});
}

TEST(Schema, RefusesWhatIsCertainBesideAKeywordThatItDoesNotCheck) {
  expect_invalid(R"({"not":{"type":"string","$defs":{"x":{"pattern":"^x"}}}})", {"\"abc\""});
  expect_invalid(R"({"pattern":"^x","not":{"type":"string"}})", {"\"abc\""});
  expect_invalid(R"({"oneOf":[{"pattern":"^x","type":"string"},{"pattern":"^y","type":"string"}]})", {"1"});
  expect_invalid(R"({"oneOf":[{"pattern":"^x"},{"type":"string"},{"minLength":1}]})", {"\"abc\""});
  expect_invalid(R"({"if":{"pattern":"^x","type":"string"},"else":{"minimum":5}})", {"4"});
}

TEST(SchemaCompile, NamesTheOffendingKeyword) {
  EXPECT_EQ(compile_error(R"({"properties":{"a":{"type":"strin"}}})"),
            "/properties/a/type: \"strin\" is not a JSON Schema type");
  EXPECT_EQ(compile_error(R"({"type":["string","string"]})"), "/type: \"string\" stands there twice");
  EXPECT_EQ(compile_error(R"({"type":3})"), "/type: must be the name of a type, or an array of such names");
  EXPECT_EQ(compile_error(R"({"properties":{"a/b":5}})"),
            "/properties/a~1b: must be a schema: an object, true or false");
  EXPECT_EQ(compile_error(R"({"anyOf":[{},{"minimum":"1"}]})"), "/anyOf/1/minimum: must be a number");
  EXPECT_EQ(compile_error(R"({"items":[{}]})"),
            "/items: must be a schema; an array of schemas is \"prefixItems\" in 2020-12");
  EXPECT_EQ(compile_error("5"), "the schema: must be a schema: an object, true or false");
}

TEST(SchemaCompile, RefusesMalformedKeywords) {
  for (const auto* schema : {R"({"type":[]})",
                             R"({"type":"Integer"})",
                             R"({"enum":1})",
                             R"({"multipleOf":0})",
                             R"({"multipleOf":-1})",
                             R"({"minLength":-1})",
                             R"({"maxItems":1.5})",
                             R"({"minProperties":"1"})",
                             R"({"uniqueItems":1})",
                             R"({"required":"a"})",
                             R"({"required":["a","a"]})",
                             R"({"required":[1]})",
                             R"({"properties":[]})",
                             R"({"additionalProperties":1})",
                             R"({"allOf":[]})",
                             R"({"anyOf":{}})",
                             R"({"oneOf":[1]})",
                             R"({"not":[]})",
                             R"({"if":1})",
                             R"({"if":true,"then":1})",
                             R"({"if":true,"else":1})",
                             R"({"prefixItems":[]})",
                             R"({"$defs":1})",
                             R"({"$defs":{"a":{"type":"x"}}})",
                             R"({"$anchor":"1a"})",
                             R"({"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}})",
                             R"({"$id":1})",
                             R"({"$ref":1})",
                             R"({"$schema":1})"}) {
    EXPECT_NE(compile_error(schema), "accepted") << schema;
  }
}

TEST(SchemaCompile, RefusesOtherDialects) {
  EXPECT_EQ(compile_error(R"({"$schema":"http://json-schema.org/draft-04/schema#"})"),
            "/$schema: \"http://json-schema.org/draft-04/schema\" is not a supported dialect; use "
            "https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#");
}

TEST(SchemaCompile, RefusesReferencesOutOfTheSchemaAndToNowhere) {
  EXPECT_EQ(
      compile_error(R"({"properties":{"a":{"$ref":"https://example.com/x"}}})"),
      "/properties/a/$ref: \"https://example.com/x\" leads out of the schema; only references within it (\"#...\") "
      "are followed");
  EXPECT_EQ(compile_error(R"({"$ref":"other.json#/a"})").substr(0, 6), "/$ref:");
  EXPECT_EQ(compile_error(R"({"$ref":"#/$defs/x"})"), "/$ref: \"#/$defs/x\" does not exist in the schema");
  EXPECT_EQ(compile_error(R"({"$ref":"#x"})"), "/$ref: the schema has no anchor \"x\"");
  EXPECT_EQ(compile_error(R"({"$ref":"#/%"})"), "/$ref: \"#/%\" has a broken percent-encoding");
  EXPECT_EQ(compile_error(R"({"$ref":"#/title","title":"x"})"), "/title: must be a schema: an object, true or false");
  for (const auto* pointer : {"#/a/99999999999999999999999", "#/a/-", "#/a/01", "#/a/x", "#/~2", "#/a/0/b"}) {
    EXPECT_NE(compile_error(std::string(R"({"a":[1],"$ref":")") + pointer + "\"}"), "accepted") << pointer;
  }
}

TEST(SchemaDefaults, FillAbsentPropertiesOnly) {
  EXPECT_EQ(with_defaults(search_schema, R"({"query":"a"})"), R"({"limit":10,"query":"a"})");
  EXPECT_EQ(with_defaults(search_schema, R"({"query":"a","limit":null})"), R"({"limit":null,"query":"a"})");
  EXPECT_EQ(with_defaults(search_schema, "[1]"), "[1]");
}

TEST(SchemaDefaults, ReachNestedValuesThatArePresent) {
  constexpr auto schema = R"({
    "properties": {"in": {"properties": {"x": {"default": 1}}}, "out": {"properties": {"x": {"default": 1}}}},
    "additionalProperties": {"items": {"properties": {"y": {"default": [2]}}},
                             "prefixItems": [{"properties": {"z": {"default": {}}}}]}
  })";
  EXPECT_EQ(with_defaults(schema, R"({"in":{},"list":[{},{},{"y":0}]})"),
            R"({"in":{"x":1},"list":[{"z":{}},{"y":[2]},{"y":0}]})");
}

TEST(SchemaDefaults, FollowReferencesAndAllOfButNoAlternatives) {
  EXPECT_EQ(with_defaults(R"({"$ref":"#/$defs/a","allOf":[{"properties":{"b":{"default":2}}}],
                             "anyOf":[{"properties":{"c":{"default":3}}}],"oneOf":[{"properties":{"d":{"default":4}}}],
                             "if":{"properties":{"e":{"default":5}}},"then":{"properties":{"f":{"default":6}}},
                             "not":{"properties":{"g":{"default":7}}},
                             "$defs":{"a":{"properties":{"a":{"default":1}}}}})",
                          "{}"),
            R"({"a":1,"b":2})");
  EXPECT_EQ(with_defaults(R"({"properties":{"a":{"$ref":"#/$defs/x"},"b":{"$ref":"#/$defs/x","default":2}},
                             "$defs":{"x":{"$ref":"#/$defs/y"},"y":{"default":1}}})",
                          "{}"),
            R"({"a":1,"b":2})");
}

TEST(SchemaDefaults, AddNoMoreThanFourMebibytes) {
  // Each is 1 KiB as JSON text with its name, its colon and its comma.
  const auto schema = R"({"items":{"properties":{"a":{"default":")" + std::string(1024 - 1 - 4 - 2, 'x') + R"("}}}})";
  auto most = nlohmann::json(std::size_t{4096}, nlohmann::json::object());
  EXPECT_FALSE(compiled(schema).apply_defaults(most));
  EXPECT_EQ(most[4095]["a"].get_ref<const std::string&>().size(), 1017U);

  auto too_many = nlohmann::json(std::size_t{4097}, nlohmann::json::object());
  const auto violation = compiled(schema).apply_defaults(too_many);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->keyword, "default");
  EXPECT_EQ(violation->message,
            "the value has so many absent properties that their defaults would take more than 4194304 bytes");
  EXPECT_EQ(too_many[4096], nlohmann::json::object());
}

TEST(SchemaDefaults, DoNotUnfoldEndlessly) {
  constexpr auto schema = R"({"properties":{"next":{"$ref":"#"},"other":{"$ref":"#/properties/other"}},"default":{}})";
  EXPECT_EQ(with_defaults(schema, "{}"), R"({"next":{}})");
  EXPECT_EQ(with_defaults(R"({"$ref":"#","properties":{"a":{"default":1}}})", "{}"), R"({"a":1})");
}

std::string nested(std::size_t levels, std::string_view open, std::string_view middle, std::string_view close) {
  std::string text;
  for (std::size_t level = 0; level < levels; ++level) {
    text += open;
  }
  text += middle;
  for (std::size_t level = 0; level < levels; ++level) {
    text += close;
  }
  return text;
}

TEST(SchemaLimits, InstancesAsDeepAsTheHostReadsAreChecked) {
  constexpr auto list = R"({"anyOf":[{"type":"null"},{"properties":{"next":{"$ref":"#"}},"required":["next"]}]})";
  EXPECT_EQ(verdict(list, nested(64, R"({"next":)", "null", "}")), "valid");
  EXPECT_EQ(check(list, nested(64, R"({"next":)", "{}", "}"))->keyword, "anyOf");
}

TEST(SchemaLimits, EndlessReferencesAreAViolation) {
  for (const auto* schema :
       {R"({"$ref":"#"})", R"({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}})",
        R"({"not":{"$ref":"#"}})", R"({"if":{"$ref":"#"}})"}) {
    EXPECT_EQ(verdict(schema, "1"),
              " [] the value is nested too deep to check, or its schema refers to itself without end: the limit is 256 "
              "levels")
        << schema;
  }
}

TEST(SchemaLimits, DeepInstancesAreAViolationAndNotACrash) {
  const auto deep = nested(100'000, "[", "", "]");
  const auto violation = check(R"({"items":{"$ref":"#"}})", deep);
  ASSERT_TRUE(violation);
  // "/0" for each level; a level is two subschemas, so half of the limit is reached.
  EXPECT_EQ(violation->path.size(), 2 * 128U);
  EXPECT_TRUE(check(R"({"uniqueItems":true})", "[" + deep + "," + deep + "]"));
}

TEST(SchemaLimits, DeepSchemasAreRefused) {
  EXPECT_EQ(compile_error(nested(127, R"({"not":)", "{}", "}")), "accepted");
  EXPECT_EQ(compile_error(nested(128, R"({"not":)", "{}", "}")), "the schema: is nested deeper than 128 levels");
  EXPECT_NE(compile_error(R"({"const":)" + nested(20'000, "[", "", "]") + "}"), "accepted");
}

TEST(SchemaLimits, ExponentialSchemasEnd) {
  nlohmann::ordered_json schema{{"$ref", "#/$defs/0"}};
  for (int level = 0; level < 60; ++level) {
    const nlohmann::ordered_json next{{"$ref", "#/$defs/" + std::to_string(level + 1)}};
    schema["$defs"][std::to_string(level)] = {{"allOf", {next, next}}};
  }
  schema["$defs"]["60"] = true;
  const auto violation = Schema::compile(schema)->validate(1);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->message, "the value takes more than 10000000 steps to check");
}

TEST(Schema, IsUsedByManyThreadsAtOnce) {
  auto schema = compiled(search_schema);
  const Schema copy = schema;
  const Schema moved = std::move(schema);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const auto& mine = thread % 2 == 0 ? copy : moved;
      for (int limit = 0; limit < 2000; ++limit) {
        nlohmann::json arguments{{"query", "a"}, {"limit", limit}};
        if (mine.apply_defaults(arguments)) ++wrong;
        if (mine.validate(arguments).has_value() != (limit < 1 || limit > 100)) ++wrong;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace mcph
