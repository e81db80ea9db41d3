#include "schema/schema.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/schema_verdict.hpp"

namespace mcph {
namespace {

using test::compile_error;
using test::compiled;
using test::expect_invalid;
using test::expect_valid;
using test::verdict;

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
  EXPECT_EQ(verdict(search_schema, R"({"limit":5,"qeury":"x"})"),
            R"( [required] "query" is required, but absent; did you mean it by "qeury"?)");
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
  expect_valid(R"({"multipleOf":6})", {"3e1", "9e300"});
  expect_invalid(R"({"multipleOf":6})", {"3", "1e300"});
  expect_valid(R"({"multipleOf":1024})", {"1e10", "3e10"});
  expect_invalid(R"({"multipleOf":1024})", {"1e9"});
  expect_valid(R"({"multipleOf":5e-324})", {"1e308"});
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

TEST(Schema, KeepsOfALongReasonItsBeginning) {
  std::string schema = R"({"type":"null"})";
  for (int level = 0; level < 30; ++level)
    schema = R"({"anyOf":[)" + schema + R"(,{"const":")" + std::string(50, 'x') + R"("}]})";
  const auto violation = test::check(schema, "1");
  ASSERT_TRUE(violation);
  EXPECT_LT(violation->message.size(), 1500U);
}

TEST(Schema, ExplainsAlternativesInAlternatives) {
  constexpr auto schema = R"({"anyOf":[{"type":"null"},{"items":{"anyOf":[{"type":"string"},{"minimum":5}]}}]})";
  EXPECT_EQ(
      verdict(schema, R"(["x",6,1])"),
      R"( [anyOf] the value fits none of the allowed forms: (1) the value must be null, but is an array of 3 items; )"
      R"((2) "[2]" fits none of the allowed forms: (1) "[2]" must be a string, but is 1; )"
      R"((2) "[2]" must be at least 5, but is 1)");
}

TEST(Schema, ForgetsWhyAnAlternativeFailedWhenAnotherFits) {
  EXPECT_EQ(verdict(R"({"anyOf":[{"type":"null"},{"type":"integer"}],"allOf":[{"maximum":5}]})", "6"),
            " [maximum] the value must be at most 5, but is 6");
}

TEST(Schema, CountsWhatAnArrayContains) {
  expect_valid(R"({"contains":{"type":"string"}})", {R"([1,"a"])", "{}"});
  EXPECT_EQ(verdict(R"({"contains":{"type":"string"}})", "[1]"),
            R"( [contains] the value must have at least 1 item of the form that "contains" asks for, but has 0)");
  constexpr auto two = R"({"contains":{"const":1},"minContains":2,"maxContains":2})";
  expect_valid(two, {"[1,2,1]"});
  EXPECT_EQ(verdict(two, "[1]"),
            R"( [minContains] the value must have at least 2 items of the form that "contains" asks for, but has 1)");
  EXPECT_EQ(verdict(two, "[1,1,1]"),
            R"( [maxContains] the value must have at most 2 items of the form that "contains" asks for, but has more)");
  expect_valid(R"({"contains":false,"minContains":0})", {"[]", "[1]"});
  expect_invalid(R"({"contains":true,"minContains":0,"maxContains":0})", {"[1]"});
}

TEST(Schema, ChecksWhatAPropertyAsksFor) {
  constexpr auto required = R"({"dependentRequired":{"card":["address"]}})";
  expect_valid(required, {R"({"card":1,"address":2})", R"({"address":2})", "[]"});
  EXPECT_EQ(verdict(required, R"({"card":1})"),
            R"( [dependentRequired] "address" is required where "card" is present, but absent)");
  expect_invalid(R"({"dependentSchemas":{"card":{"minProperties":2}}})", {R"({"card":1})"});
  expect_invalid(R"({"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":false}})",
                 {R"({"a":1})", R"({"c":1})"});
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

TEST(Schema, IgnoresWhatDraft07DoesNotKnow) {
  expect_valid(R"({"$schema":"http://json-schema.org/draft-07/schema#","$defs":{"x":5},"deprecated":0,"$vocabulary":3,
                   "contentSchema":{"type":"nonsense"}})",
               {"1"});
  expect_invalid(R"({"$schema":"http://json-schema.org/draft-07/schema#","$defs":{"x":5,"y":{"type":"integer"}},
                     "items":{"$ref":"#/$defs/y"}})",
                 {"[1.5]"});
}

TEST(Schema, BooleanSchemasAllowAllOrNothing) {
  expect_valid("true", {"1", "null"});
  expect_valid("{}", {"1", "null"});
  EXPECT_EQ(verdict("false", "1"), " [false] the value is not allowed");
}

TEST(Schema, IgnoresUnknownKeywordsAndAnnotations) {
  expect_valid(R"({"x-mcp-header":"A","format":"email","title":"a","description":"","$comment":"b","examples":[],
                   "readOnly":true,"writeOnly":false,"deprecated":true,"$vocabulary":{"https://example.com/v":false},
                   "contentEncoding":"base64","contentMediaType":"text/plain","contentSchema":false,"minimun":5})",
               {"1", "\"x\""});
  expect_valid(R"({"enum":[{"$ref":"#/nowhere","type":"nonsense"}],"default":{"$anchor":5}})",
               {R"({"$ref":"#/nowhere","type":"nonsense"})"});
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
                             R"({"$schema":1})",
                             R"({"$id":"#a"})",
                             R"({"contains":1})",
                             R"({"minContains":-1})",
                             R"({"propertyNames":1})",
                             R"({"patternProperties":1})",
                             R"({"dependentRequired":{"a":["b","b"]}})",
                             R"({"dependentSchemas":{"a":1}})",
                             R"({"unevaluatedItems":1})",
                             R"({"$dynamicAnchor":"#a"})",
                             R"({"$dynamicRef":1})",
                             R"({"then":1})",
                             R"({"items":{"$schema":1}})"}) {
    EXPECT_NE(compile_error(schema), "accepted") << schema;
  }
}

TEST(SchemaCompile, RefusesMalformedAnnotations) {
  for (const auto* text : {"title", "description", "$comment", "format", "contentEncoding", "contentMediaType"}) {
    EXPECT_EQ(compile_error(R"({"properties":{"a":{")" + std::string(text) + R"(":null}}})"),
              "/properties/a/" + std::string(text) + ": must be a string");
  }
  for (const auto* flag : {"readOnly", "writeOnly", "deprecated"}) {
    EXPECT_EQ(compile_error(R"({")" + std::string(flag) + R"(":"x"})"),
              "/" + std::string(flag) + ": must be true or false");
  }
  EXPECT_EQ(compile_error(R"({"examples":{}})"), "/examples: must be an array");
  EXPECT_EQ(compile_error(R"({"$vocabulary":{"a":1}})"),
            "/$vocabulary: must be an object whose members are true or false");
  EXPECT_EQ(compile_error(R"({"contentSchema":{"type":"nonsense"}})"),
            "/contentSchema/type: \"nonsense\" is not a JSON Schema type");
  constexpr auto draft_07 = R"({"$schema":"http://json-schema.org/draft-07/schema#",)";
  EXPECT_EQ(compile_error(draft_07 + std::string(R"("title":5})")), "/title: must be a string");
  EXPECT_EQ(compile_error(draft_07 + std::string(R"("additionalItems":5})")),
            "/additionalItems: must be a schema: an object, true or false");
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
