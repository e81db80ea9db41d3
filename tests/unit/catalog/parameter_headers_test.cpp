#include "catalog/parameter_headers.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace mcph {
namespace {

using Path = std::vector<std::string>;

auto read(const std::string& schema) {
  return read_parameter_headers(nlohmann::ordered_json::parse(schema));
}
std::string mistake_of_schema(const std::string& schema) {
  const auto headers = read(schema);
  return headers ? "accepted" : headers.error().message;
}
std::string refusal_of_property(const std::string& property) {
  return mistake_of_schema(R"({"type":"object","properties":{"a":)" + property + "}}");
}

TEST(ParameterHeaders, AreFoundWithThePathsOfTheirArguments) {
  const auto headers = read(R"({"type":"object","properties":{
      "region":{"type":"string","x-mcp-header":"Region"},
      "query":{"type":"string"},
      "where":{"type":"object","properties":{"deep":{"properties":{"on":{"type":"boolean","x-mcp-header":"On"}}}}},
      "count":{"type":"integer","x-mcp-header":"Method"}}})");
  ASSERT_TRUE(headers);
  ASSERT_EQ(headers->size(), 3U);
  EXPECT_EQ((*headers)[0].name, "Mcp-Param-Region");
  EXPECT_EQ((*headers)[0].path, Path{"region"});
  EXPECT_EQ((*headers)[1].name, "Mcp-Param-On");
  EXPECT_EQ((*headers)[1].path, (Path{"where", "deep", "on"}));
  EXPECT_EQ((*headers)[2].name, "Mcp-Param-Method");
}

TEST(ParameterHeaders, AreNotSeenInPropertiesThatAreCalledSoOrInValues) {
  const auto headers = read(R"({"type":"object","properties":{
      "x-mcp-header":{"type":"string"},"items":{"type":"string","x-mcp-header":"Items"},
      "a":{"default":{"x-mcp-header":"A"},"enum":[{"x-mcp-header":"A"}]}},"example":{"x-mcp-header":"A"},
      "dependentRequired":{"x-mcp-header":["a"]}})");
  ASSERT_TRUE(headers);
  ASSERT_EQ(headers->size(), 1U);
  EXPECT_EQ((*headers)[0].name, "Mcp-Param-Items");
}

TEST(ParameterHeaders, HaveNamesThatHeadersCanHave) {
  constexpr auto complaint =
      "/properties/a/x-mcp-header: must be a name as HTTP headers have it: letters, digits and !#$%&'*+-.^_`|~";
  for (const auto* name : {R"("")", R"("My Region")", R"("Region:Primary")", R"("R\u00e9gion")", R"("A\tB")",
                           R"("A\r\nB")", "7", "null", R"(["A"])"}) {
    EXPECT_EQ(refusal_of_property(R"({"type":"string","x-mcp-header":)" + std::string(name) + "}"), complaint) << name;
  }
  EXPECT_EQ(refusal_of_property(R"({"type":"string","x-mcp-header":"a!#$%&'*+-.^_`|~Z9"})"), "accepted");
}

TEST(ParameterHeaders, AreUniqueWhateverTheirCase) {
  EXPECT_EQ(mistake_of_schema(R"({"properties":{"a":{"type":"string","x-mcp-header":"Region"},
                                         "b/c":{"type":"string","x-mcp-header":"REGION"}}})"),
            "/properties/b~1c/x-mcp-header: names Mcp-Param-REGION a second time; case does not count");
}

TEST(ParameterHeaders, AreNotTooMany) {
  const auto properties = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + R"(":{"type":"string","x-mcp-header":"H)" +
              std::to_string(i) + "\"}";
    return R"({"type":"object","properties":{)" + text + "}}";
  };
  EXPECT_EQ(mistake_of_schema(properties(100)), "accepted");
  EXPECT_NE(mistake_of_schema(properties(101)).find("is at more than 100 properties"), std::string::npos);
  const auto deep =
      R"({"type":"object","properties":{")" + std::string(4097, 'k') + R"(":{"type":"string","x-mcp-header":"H"}}})";
  EXPECT_NE(mistake_of_schema(deep).find("names of more than 4096 bytes"), std::string::npos);
}

TEST(ParameterHeaders, AreOnlyForTypesThatOneTextCanCarry) {
  for (const auto* type : {R"("number")", R"("object")", R"("array")", R"("null")", R"(["string","null"])"}) {
    EXPECT_EQ(refusal_of_property(R"({"x-mcp-header":"A","type":)" + std::string(type) + "}"),
              R"(/properties/a/x-mcp-header: is only for properties of "type": "string", "integer" or "boolean")")
        << type;
  }
  EXPECT_NE(refusal_of_property(R"({"x-mcp-header":"A"})"), "accepted");
}

TEST(ParameterHeaders, AreOnlyForPropertiesThatKeysAloneReach) {
  EXPECT_EQ(mistake_of_schema(R"({"type":"object","x-mcp-header":"A"})"),
            "/x-mcp-header: is for properties, not for the whole schema");
  const std::string annotated = R"({"type":"string","x-mcp-header":"A"})";
  for (const std::string keyword : {"items", "contains", "additionalProperties", "unevaluatedItems", "propertyNames",
                                    "unevaluatedProperties", "not", "if", "then", "else"}) {
    EXPECT_EQ(refusal_of_property("{\"" + keyword + "\":" + annotated + "}"),
              "/properties/a/x-mcp-header: is only for properties that are reached by \"properties\" alone; there is "
              "one below \"" +
                  keyword + "\"");
  }
  for (const std::string keyword : {"allOf", "anyOf", "oneOf", "prefixItems", "items"}) {
    EXPECT_NE(refusal_of_property("{\"" + keyword + "\":[{}," + annotated + "]}"), "accepted") << keyword;
    EXPECT_NE(mistake_of_schema("{\"" + keyword + R"(":[{"properties":{"b":)" + annotated + "}}]}"), "accepted")
        << keyword;
  }
  // A keyword that nobody knows, to which "$ref" may lead.
  EXPECT_NE(mistake_of_schema(R"({"properties":{"a":{"$ref":"#/stuff/a"}},"stuff":{"a":)" + annotated + "}}"),
            "accepted");
  for (const std::string keyword : {"patternProperties", "dependentSchemas", "$defs", "definitions"}) {
    EXPECT_NE(mistake_of_schema("{\"" + keyword + R"(":{"b":)" + annotated + "}}"), "accepted") << keyword;
  }
}

}  // namespace
}  // namespace mcph
