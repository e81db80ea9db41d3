#include "support/schema_verdict.hpp"

namespace mcph {
namespace {

using test::expect_invalid;
using test::expect_valid;
using test::verdict;

TEST(SchemaUnevaluated, PropertiesAreThoseThatNoFittingSubschemaKnows) {
  constexpr auto shape = R"({
    "properties": {"kind": true}, "unevaluatedProperties": false,
    "oneOf": [{"properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["radius"]},
              {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["side"]}]})";
  expect_valid(shape, {R"({"kind":"circle","radius":1})", R"({"kind":"square","side":1})"});
  EXPECT_EQ(verdict(shape, R"({"kind":"circle","radius":1,"side":2})"),
            R"(/side [unevaluatedProperties] "side" is not allowed; no rule of the schema knows it)");
}

TEST(SchemaUnevaluated, EveryAlternativeThatFitsCounts) {
  constexpr auto schema = R"({"anyOf":[{"properties":{"a":true}},{"properties":{"b":true}}],
                              "if":{"properties":{"c":{"const":1}},"required":["c"]},
                              "unevaluatedProperties":{"type":"null"}})";
  expect_valid(schema, {R"({"a":1,"b":2,"c":1})", R"({"d":null})"});
  expect_invalid(schema, {R"({"c":2})", R"({"d":1})"});
}

TEST(SchemaUnevaluated, SubschemasDoNotSeeWhatStandsBesideThem) {
  expect_invalid(R"({"allOf":[{"properties":{"a":true}},{"unevaluatedProperties":false}]})", {R"({"a":1})"});
  expect_invalid(R"({"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false})", {R"({"a":1})"});
}

TEST(SchemaUnevaluated, ItemsAreThoseBehindTheKnownOnes) {
  constexpr auto schema = R"({"allOf":[{"prefixItems":[{"type":"string"}]}],"contains":{"const":7},
                              "unevaluatedItems":{"type":"boolean"}})";
  expect_valid(schema, {R"(["a",7])", R"(["a",true,7,false])"});
  EXPECT_EQ(verdict(schema, R"(["a",7,8])"), R"(/2 [type] "[2]" must be true or false, but is 8)");
}

TEST(SchemaUnevaluated, ChildrenOfOtherValuesDoNotCount) {
  expect_invalid(R"({"properties":{"inner":{"properties":{"a":true}}},"unevaluatedProperties":false})",
                 {R"({"inner":{"a":1},"a":1})"});
}

}  // namespace
}  // namespace mcph
