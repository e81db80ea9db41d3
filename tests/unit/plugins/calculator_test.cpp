#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "calculator/setup.hpp"

namespace plugins::calculator {
namespace {

using mcp::Json;
using testing::HasSubstr;

class Calculator : public testing::Test {
 protected:
  mcp::testing::Outcome calculate(const Json& arguments) { return harness_.call_tool("calculate", arguments); }

  mcp::testing::Harness harness_{setup};
};

TEST_F(Calculator, AnswersTheValueAndItsText) {
  const auto outcome = calculate({{"expression", "0.1 + 0.2"}});
  ASSERT_TRUE(outcome.ok()) << outcome.text();
  EXPECT_EQ(outcome.structured(), (Json{{"result", 0.1 + 0.2}, {"formatted", "0.3"}}));
}

TEST_F(Calculator, RoundsToThePrecisionAskedFor) {
  EXPECT_EQ(calculate({{"expression", "pi"}, {"precision", 4}}).structured()["formatted"], "3.142");
  EXPECT_EQ(calculate({{"expression", "2.5"}, {"precision", 1}}).structured()["formatted"], "3");
  EXPECT_EQ(calculate({{"expression", "-0.125"}, {"precision", 2}}).structured()["formatted"], "-0.13");
  EXPECT_EQ(calculate({{"expression", "2.675"}, {"precision", 3}}).structured()["formatted"], "2.68");
  EXPECT_EQ(calculate({{"expression", "12345"}, {"precision", 4}}).structured()["formatted"], "1.235e+04");
  EXPECT_EQ(calculate({{"expression", "0"}, {"precision", 3}}).structured()["formatted"], "0");
  EXPECT_EQ(calculate({{"expression", "15e200"}, {"precision", 1}}).structured()["formatted"], "2e+201");
  EXPECT_EQ(calculate({{"expression", "pi"}, {"precision", 17}}).structured()["formatted"], "3.1415926535897931");
  EXPECT_EQ(calculate({{"expression", "2^100"}}).structured()["formatted"], "1.26765060023e+30");
}

TEST_F(Calculator, CountsDigitsAfterThePoint) {
  const auto outcome = calculate({{"expression", "2 + 3 * 4"}, {"decimal_places", 2}});
  ASSERT_TRUE(outcome.ok()) << outcome.text();
  EXPECT_EQ(outcome.json["content"][0]["text"], "Result: 14.00");
  EXPECT_EQ(outcome.structured(), (Json{{"result", 14.0}, {"formatted", "14.00"}}));
  EXPECT_EQ(calculate({{"expression", "2/3"}, {"decimal_places", 0}}).structured()["formatted"], "1");
  EXPECT_EQ(
      calculate({{"expression", "1e300"}, {"decimal_places", 15}}).structured()["formatted"].get<std::string>().size(),
      317U);
  EXPECT_FALSE(calculate({{"expression", "1"}, {"decimal_places", 16}}).ok());
  EXPECT_FALSE(calculate({{"expression", "1"}, {"decimal_places", -1}}).ok());
}

TEST_F(Calculator, CountsDigitsAfterThePointAsItsRoundDoes) {
  const auto formatted = [this](const char* expression, int places) {
    const auto outcome = calculate({{"expression", expression}, {"decimal_places", places}});
    return outcome.structured()["formatted"].get<std::string>();
  };
  EXPECT_EQ(formatted("2.675", 2), "2.68");
  EXPECT_EQ(formatted("round(2.675, 2)", 2), "2.68");
  EXPECT_EQ(formatted("0.125", 2), "0.13");
  EXPECT_EQ(formatted("2.5", 0), "3");
  EXPECT_EQ(formatted("-2.5", 0), "-3");
  EXPECT_EQ(formatted("-0.4", 0), "0");
  EXPECT_EQ(formatted("0.1", 15), "0.100000000000000");
  EXPECT_EQ(formatted("123456789.1", 15), "123456789.100000000000000");
  EXPECT_EQ(formatted("-123456789.1", 3), "-123456789.100");
  EXPECT_EQ(formatted("123456789012345678", 1), "123456789012345680.0");
}

TEST_F(Calculator, RefusesAPrecisionThatMeansNothing) {
  EXPECT_FALSE(calculate({{"expression", "1"}, {"precision", 0}}).ok());
  EXPECT_FALSE(calculate({{"expression", "1"}, {"precision", 1000}}).ok());
}

TEST_F(Calculator, TellsTheModelWhereTheErrorIs) {
  const auto outcome = calculate({{"expression", "1 + * 2"}});
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.text(), "Expected a number at position 5\n1 + * 2\n    ^");
}

TEST_F(Calculator, BoundsNesting) {
  const auto outcome = calculate({{"expression", std::string(4000, '(')}});
  EXPECT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.text(), HasSubstr("Nested more than 200 levels deep"));
}

TEST_F(Calculator, DescribesItsBounds) {
  const auto tool = harness_.describe()["tools"][0];
  EXPECT_EQ(tool["name"], "calculate");
  EXPECT_EQ(tool["inputSchema"]["required"], nlohmann::ordered_json{"expression"});
  EXPECT_EQ(tool["inputSchema"]["properties"]["precision"]["default"], 12);
  EXPECT_EQ(tool["inputSchema"]["properties"]["precision"]["maximum"], 17);
  EXPECT_EQ(tool["inputSchema"]["properties"]["expression"]["maxLength"], 4096);
  EXPECT_EQ(tool["annotations"]["readOnlyHint"], true);
}

}  // namespace
}  // namespace plugins::calculator
