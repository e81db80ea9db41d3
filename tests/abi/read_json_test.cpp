// read_json: JSON that an author has read himself, as a type of the plugin's own.
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mcp/plugin.hpp>

namespace {

using mcp::Json;

struct Rule {
  std::string name;
  int weight = 1;
  std::optional<std::vector<Rule>> rules;  // of its own kind
  static constexpr auto fields() {
    return std::tuple{mcp::field("name", &Rule::name).min_length(1),
                      mcp::field("weight", &Rule::weight).default_value(1).max(9), mcp::field("rules", &Rule::rules)};
  }
};

std::string mistake_in(const Json& json) {
  try {
    mcp::read_json<Rule>(json, "file");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(ReadJson, ReadsAStructWithStructsOfItsOwnKind) {
  const auto rule = mcp::read_json<Rule>(Json{{"name", "a"}, {"rules", {{{"name", "b"}, {"weight", 9}}}}});
  EXPECT_EQ(rule.weight, 1);
  ASSERT_TRUE(rule.rules);
  EXPECT_EQ(rule.rules->at(0).name, "b");
  EXPECT_EQ(rule.rules->at(0).weight, 9);
}

TEST(ReadJson, SaysWhereWhatIsWrong) {
  EXPECT_EQ(mistake_in(Json::array()), "\"file\" must be an object, but is an array");
  EXPECT_EQ(mistake_in({{"name", 1}}), "\"file.name\" must be a string, but is 1");
  EXPECT_EQ(mistake_in({{"name", "a"}, {"rules", {{{"weight", 1}}}}}), "\"file.rules[0].name\" is missing");
}

TEST(ReadJson, RefusesWhatAFieldDoesNotAllowAndWhatIsNoField) {
  EXPECT_EQ(mistake_in({{"name", "a"}, {"rules", {{{"name", "b"}, {"weight", 10}}}}}),
            "\"file.rules[0].weight\" must be at most 9, but is 10");
  EXPECT_EQ(mistake_in({{"name", ""}}), "\"file.name\" must have at least 1 character, but has 0");
  EXPECT_EQ(mistake_in({{"name", "a"}, {"wait", 1}}), "\"file.wait\" is not one of name, weight, rules");
}

}  // namespace
