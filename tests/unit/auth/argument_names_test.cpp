#include "auth/argument_names.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "support/json_value.hpp"

namespace mcph {
namespace {

// The member that is misspelt; empty: none is.
std::string misspelt_member(const char* schema, const char* arguments) {
  return ArgumentNames::of(OrderedJson::parse(schema)).misspelt_in(test::json_value(arguments)).value_or("");
}

TEST(ArgumentNames, AreAllThatARuleWritesOut) {
  for (const auto* schema :
       {R"({"properties":{"force":true}})", R"({"required":["force"]})", R"({"dependentRequired":{"force":[]}})",
        R"({"dependentRequired":{"other":["force"]}})", R"({"dependentSchemas":{"force":false}})",
        R"({"dependencies":{"force":{}}})", R"({"dependencies":{"other":["force"]}})",
        R"({"allOf":[{"not":{"required":["force"]}}]})", R"({"anyOf":[{"properties":{"force":{}}}]})",
        R"({"if":{"required":["force"]}})", R"({"const":{"force":1}})", R"({"enum":[1,{"force":1}]})",
        R"({"dependentSchemas":{"other":{"required":["force"]}}})",
        R"({"$ref":"#/$defs/a","$defs":{"a":{"required":["force"]}}})"}) {
    EXPECT_EQ(misspelt_member(schema, R"({"Force":1})"), "Force") << schema;
    EXPECT_EQ(misspelt_member(schema, R"({"force":1,"forces":{},"":1})"), "") << schema;
  }
  EXPECT_EQ(misspelt_member("{}", R"({"Force":1})"), "");
  EXPECT_EQ(misspelt_member("true", R"({"Force":1})"), "");
}

TEST(ArgumentNames, AreNoKeywordsPatternsAndExamples) {
  for (const auto* schema :
       {R"({"properties":{"properties":{"type":"object"}}})", R"({"patternProperties":{"type":{}}})",
        R"({"default":{"type":1},"examples":[{"type":1}]})", R"({"properties":{"a":{"const":"type"}}})"})
    EXPECT_EQ(misspelt_member(schema, R"({"Type":1,"properties":{"Type":1},"a":{"Type":1}})"), "") << schema;
}

TEST(ArgumentNames, BelongToALevel) {
  const auto* const nested = R"({"properties":{"target":{"properties":{"env":{}}}}})";
  EXPECT_EQ(misspelt_member(nested, R"({"target":{"Env":1}})"), "Env");
  EXPECT_EQ(misspelt_member(nested, R"({"Target":{"env":1}})"), "Target");
  EXPECT_EQ(misspelt_member(nested, R"({"Env":1,"target":{"Target":1,"env":{"Env":1}}})"), "");
  for (const auto* schema : {R"({"properties":{"list":{"items":{"required":["env"]}}}})",
                             R"({"additionalProperties":{"const":[{"env":1}]}})",
                             R"({"patternProperties":{"l":{"items":[true,{"required":["env"]}]}}})",
                             R"({"properties":{"list":{"contains":{"properties":{"env":{}}}}}})"}) {
    EXPECT_EQ(misspelt_member(schema, R"({"list":[1,{"Env":1}]})"), "Env") << schema;
    EXPECT_EQ(misspelt_member(schema, R"({"list":[1,{"env":1},[{"Env":1}]]})"), "") << schema;
  }
}

TEST(ArgumentNames, BelongToAllLevelsWhereThereIsAReference) {
  const auto* const tree = R"({"properties":{"env":{},"in":{"$ref":"#"}}})";
  EXPECT_EQ(misspelt_member(tree, R"({"in":{"in":[{"Env":1}]}})"), "Env");
  EXPECT_EQ(misspelt_member(tree, R"({"in":{"in":[{"env":1}]}})"), "");
  const auto* const named = R"({"properties":{"a":{"$ref":"#/$defs/target"}},"$defs":{"target":{"required":["env"]}}})";
  EXPECT_EQ(misspelt_member(named, R"({"a":{"ENV":1}})"), "ENV");
}

// As Go's encoding/json has it.
TEST(ArgumentNames, FoldWhatHasACaseInAscii) {
  const auto* const schema = R"({"required":["tasks","Masks","masks"]})";
  EXPECT_EQ(misspelt_member(schema, "{\"ta\xC5\xBFks\":1}"), "ta\xC5\xBFks");
  EXPECT_EQ(misspelt_member(schema, "{\"TAS\xE2\x84\xAAS\":1}"), "TAS\xE2\x84\xAAS");
  EXPECT_EQ(misspelt_member(schema, R"({"ta\u017fks":1})"), "ta\xC5\xBFks");
  EXPECT_EQ(misspelt_member(schema, R"({"Masks":1,"masks":1,"tasks":1,"task":1,"tasksx":1})"), "");
  EXPECT_EQ(misspelt_member(schema, R"({"MASKS":1})"), "MASKS");
  EXPECT_EQ(misspelt_member("{\"required\":[\"ta\xC5\xBFks\"]}", R"({"tasks":1})"), "tasks");
}

}  // namespace
}  // namespace mcph
