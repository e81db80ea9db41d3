#include "support/schema_verdict.hpp"

namespace mcph {
namespace {

using test::compiled;
using test::with_defaults;

TEST(SchemaDefaults, FillAbsentPropertiesOnly) {
  constexpr auto limited = R"({"properties": {"query": {"type": "string"}, "limit": {"default": 10}}})";
  EXPECT_EQ(with_defaults(limited, R"({"query":"a"})"), R"({"limit":10,"query":"a"})");
  EXPECT_EQ(with_defaults(limited, R"({"query":"a","limit":null})"), R"({"limit":null,"query":"a"})");
  EXPECT_EQ(with_defaults(limited, "[1]"), "[1]");
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

TEST(SchemaDefaults, AreTheFirstOnAChainOfReferences) {
  // "p" leads into a circle without a default, "q" into one with.
  constexpr auto schema = R"({
    "properties": {"a": {"$ref": "#/$defs/w"}, "b": {"$ref": "#/$defs/y"}, "c": {"$ref": "#/$defs/x"},
                   "d": {"$ref": "#/$defs/v"}, "p": {"$ref": "#/$defs/p1"}, "q": {"$ref": "#/$defs/q1"}},
    "$defs": {"v": {"$ref": "#/$defs/w"}, "w": {"$ref": "#/$defs/x"}, "x": {"$ref": "#/$defs/y", "default": 1},
              "y": {"$ref": "#/$defs/z"}, "z": {"default": 2},
              "p1": {"$ref": "#/$defs/p2"}, "p2": {"$ref": "#/$defs/p1"},
              "q1": {"$ref": "#/$defs/q2"}, "q2": {"$ref": "#/$defs/q1", "default": 3}}
  })";
  EXPECT_EQ(with_defaults(schema, "{}"), R"({"a":1,"b":2,"c":1,"d":1,"q":3})");
}

TEST(SchemaDefaults, AreFoundHoweverLongTheChainOfReferencesIs) {
  std::string chain;
  for (int link = 0; link < 1000; ++link) {
    chain += '"' + std::to_string(link) + R"(":{"$ref":"#/$defs/)" + std::to_string(link + 1) + "\"},";
  }
  EXPECT_EQ(with_defaults(R"({"properties":{"a":{"$ref":"#/$defs/0"},"b":{"$ref":"#/$defs/500"}},"$defs":{)" + chain +
                              R"("1000":{"default":1}}})",
                          "{}"),
            R"({"a":1,"b":1})");
}

TEST(SchemaDefaults, AreNotThoseOfASchemaThatADynamicReferenceMayNotLeadTo) {
  constexpr auto schema = R"({
    "$id": "https://example.com/outer", "$ref": "inner",
    "$defs": {"own": {"$dynamicAnchor": "node", "properties": {"x": {"default": 2}}},
              "inner": {"$id": "inner", "properties": {"a": {"$dynamicRef": "#node"}},
                        "$defs": {"other": {"$dynamicAnchor": "node", "default": {}, "properties": {"x": {"default": 1}}}}}}
  })";
  EXPECT_EQ(with_defaults(schema, R"({"a":{}})"), R"({"a":{}})");
  EXPECT_EQ(with_defaults(schema, "{}"), "{}");
  EXPECT_EQ(with_defaults(R"({"properties":{"a":{"$dynamicRef":"#node"}},
                             "$defs":{"b":{"$dynamicAnchor":"node","properties":{"x":{"default":1}}}}})",
                          R"({"a":{}})"),
            R"({"a":{"x":1}})");
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

TEST(SchemaDefaults, DoNotReachWhereAPatternDecides) {
  EXPECT_EQ(with_defaults(R"({"patternProperties":{"^x":{"properties":{"a":{"default":1}}}},
                             "additionalProperties":{"properties":{"b":{"default":2}}}})",
                          R"({"x":{},"y":{}})"),
            R"({"x":{},"y":{}})");
}

}  // namespace
}  // namespace mcph
