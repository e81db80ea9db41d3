#include "cli/given_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_text.hpp"

namespace mcph {
namespace {

TEST(GivenAnswersTest, SaysWhatIsAskedWithoutWordsThatAreNoText) {
  const auto requests = read_ordered_json(R"({"a":{"method":"sampling/createMessage","params":{"message":7}}})");
  GivenAnswers none;
  const auto given = none.give(requests);
  ASSERT_TRUE(given.has_error());
  EXPECT_THAT(given.error().message,
              ::testing::StartsWith("the client is asked sampling/createMessage; answer it with --answer JSON: {"));
}

TEST(GivenAnswersTest, TakesNoFieldsFromWhatIsNoForm) {
  const auto requests = read_ordered_json(
      R"({"a":{"method":"elicitation/create","params":{"message":"?","mode":"url","requestedSchema":7}}})");
  auto answers = GivenAnswers::read({"Ada"});
  ASSERT_TRUE(answers.has_value());
  const auto given = answers->give(requests);
  ASSERT_TRUE(given.has_value());
  EXPECT_EQ(*given, read_json(R"({"a":{"action":"accept","content":"Ada"}})"));
}

}  // namespace
}  // namespace mcph
