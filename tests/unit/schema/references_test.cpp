#include "support/schema_verdict.hpp"

namespace mcph {
namespace {

using test::compile_error;
using test::compiled;
using test::expect_invalid;
using test::expect_valid;
using test::verdict;

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

TEST(Schema, FollowsReferencesIntoWhatRestrictsNothing) {
  expect_invalid(R"({"properties":{"a":{"contentSchema":{"$anchor":"x","type":"string"}},"b":{"$ref":"#x"}}})",
                 {R"({"b":1})"});
  expect_valid(R"({"properties":{"a":{"contentSchema":{"$anchor":"x","type":"string"}},"b":{"$ref":"#x"}}})",
               {R"({"a":1,"b":"s"})"});
  expect_invalid(R"({"then":{"$anchor":"x","type":"string"},"items":{"$ref":"#x"}})", {"[1]"});
  expect_invalid(R"({"$schema":"http://json-schema.org/draft-07/schema#","items":{"$ref":"#x"},
                     "additionalItems":{"$id":"#x","type":"string"}})",
                 {"[1]"});
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

TEST(Schema, FollowsReferencesToEmbeddedSchemas) {
  constexpr auto bundle = R"({
    "$id": "https://example.com/root", "properties": {"a": {"$ref": "parts/number"}, "b": {"$ref": "parts/list#item"}},
    "$defs": {
      "number": {"$id": "/parts/number", "type": "number"},
      "list": {"$id": "https://example.com/parts/list", "items": {"$anchor": "item", "$ref": "number"}}
    }})";
  expect_valid(bundle, {R"({"a":1,"b":2})"});
  expect_invalid(bundle, {R"({"a":"x"})", R"({"b":"x"})"});
  // What looks like a schema and is data is none.
  EXPECT_NE(compile_error(R"({"enum":[{"$id":"https://example.com/x"}],"items":{"$ref":"https://example.com/x"}})"),
            "accepted");
}

TEST(Schema, LetsADynamicReferenceMeanTheOutermostAnchor) {
  constexpr auto strict_tree = R"({
    "$id": "https://example.com/strict-tree", "$dynamicAnchor": "node", "$ref": "tree", "unevaluatedProperties": false,
    "$defs": {"tree": {
      "$id": "https://example.com/tree", "$dynamicAnchor": "node",
      "properties": {"data": true, "children": {"items": {"$dynamicRef": "#node"}}}}}})";
  expect_valid(strict_tree, {R"({"children":[{"data":1}]})"});
  expect_invalid(strict_tree, {R"({"children":[{"daat":1}]})"});
  // By a pointer or a plain anchor it is an ordinary reference.
  expect_valid(R"({"$dynamicRef":"#/$defs/a","$defs":{"a":{"$dynamicAnchor":"a"},
                   "b":{"$id":"https://example.com/b","$dynamicAnchor":"a","not":{}}}})",
               {"1"});
}

TEST(Schema, KnowsTheMetaschemas) {
  constexpr auto of_2020_12 = R"({"$ref":"https://json-schema.org/draft/2020-12/schema"})";
  expect_valid(of_2020_12, {R"({"properties":{"a":{"minLength":1}}})", "true"});
  EXPECT_EQ(verdict(of_2020_12, R"({"properties":{"a":{"minLength":-1}}})"),
            R"(/properties/a/minLength [minimum] "properties.a.minLength" must be at least 0, but is -1)");
  constexpr auto of_draft_07 = R"({"$ref":"http://json-schema.org/draft-07/schema#"})";
  expect_valid(of_draft_07, {R"({"items":[{}]})"});
  expect_invalid(of_draft_07, {R"({"items":[1]})", R"({"type":"strin"})"});
}

TEST(Schema, FollowsReferencesToDocumentsThatTheCallerGives) {
  const auto document = nlohmann::ordered_json::parse(R"({"$defs":{"n":{"type":"number"}}})");
  const SchemaDocument documents[] = {{"https://example.com/shared", document}};
  const auto schema = compiled(R"({"items":{"$ref":"https://example.com/shared#/$defs/n"}})", {documents});
  EXPECT_FALSE(schema.validate({1}));
  EXPECT_TRUE(schema.validate({"x"}));
}

TEST(Schema, KnowsWhichKeywordsAMetaschemaTurnsOn) {
  const auto metaschema = nlohmann::ordered_json::parse(R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/core": true,
                    "https://json-schema.org/draft/2020-12/vocab/applicator": true,
                    "https://example.com/vocab/unknown": false}})");
  const SchemaDocument documents[] = {{"https://example.com/meta", metaschema}};
  const auto schema = compiled(R"({"$schema":"https://example.com/meta","items":false,"minItems":5})", {documents});
  EXPECT_FALSE(schema.validate(nlohmann::json::array()));
  EXPECT_TRUE(schema.validate({1}));

  auto demanding = metaschema;
  demanding["$vocabulary"]["https://example.com/vocab/unknown"] = true;
  const SchemaDocument others[] = {{"https://example.com/meta", demanding}};
  const auto refused =
      Schema::compile(nlohmann::ordered_json::parse(R"({"$schema":"https://example.com/meta"})"), {others});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "/$schema: \"https://example.com/meta\" cannot be used: it requires the vocabulary "
            "\"https://example.com/vocab/unknown\", which is not known");
}

TEST(SchemaCompile, RefusesAnIdentifierThatTwoSchemasHave) {
  EXPECT_EQ(compile_error(R"({"$defs":{"a":{"$id":"https://example.com/x"},"b":{"$id":"https://example.com/x"}}})"),
            "/$defs/b/$id: another schema is \"https://example.com/x\"");
}

TEST(SchemaCompile, RefusesOtherDialects) {
  EXPECT_EQ(compile_error(R"({"$schema":"http://json-schema.org/draft-04/schema#"})"),
            "/$schema: \"http://json-schema.org/draft-04/schema#\" is not a supported dialect; use "
            "https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#");
}

TEST(SchemaCompile, RefusesReferencesOutOfTheSchemaAndToNowhere) {
  EXPECT_EQ(compile_error(R"({"properties":{"a":{"$ref":"https://example.com/x"}}})"),
            "/properties/a/$ref: \"https://example.com/x\" leads out of the schema, and nothing is ever fetched; put "
            "what it refers to into \"$defs\", with the \"$id\" \"https://example.com/x\"");
  EXPECT_EQ(compile_error(R"({"$ref":"other.json#/a"})").substr(0, 6), "/$ref:");
  EXPECT_EQ(compile_error(R"({"$ref":"#/$defs/x"})"), "/$ref: \"#/$defs/x\" does not exist in the schema");
  EXPECT_EQ(compile_error(R"({"$ref":"#x"})"), "/$ref: the schema has no anchor \"x\"");
  EXPECT_EQ(compile_error(R"({"$ref":"#/%"})"), "/$ref: \"#/%\" has a broken percent-encoding");
  EXPECT_EQ(compile_error(R"({"$ref":"#/title","title":"x"})"), "/title: must be a schema: an object, true or false");
  for (const auto* pointer : {"#/a/99999999999999999999999", "#/a/-", "#/a/01", "#/a/x", "#/~2", "#/a/0/b"}) {
    EXPECT_NE(compile_error(std::string(R"({"a":[1],"$ref":")") + pointer + "\"}"), "accepted") << pointer;
  }
}

}  // namespace
}  // namespace mcph
