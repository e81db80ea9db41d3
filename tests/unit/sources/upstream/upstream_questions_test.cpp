#include "sources/upstream/upstream_questions.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

class UpstreamQuestionsTest : public ::testing::Test {
 protected:
  // The name under which the one question is answered.
  std::string ask(const std::string& caller, std::uint64_t request = 0) {
    AskedQuestions asked;
    asked.caller = caller;
    asked.request = request;
    asked.requests = {{"size", {{"method", "roots/list"}}}};
    const auto text = questions_.ask(std::move(asked), now_);
    return text ? Json::parse(*text)["inputRequests"].begin().key() : "";
  }

  UpstreamQuestions::Clock::time_point now_;
  UpstreamQuestions questions_;
  bool is_lost_ = false;
};

TEST_F(UpstreamQuestionsTest, AnswersComeBackUnderTheUpstreamsNames) {
  const auto name = ask("ada");
  const auto answered = questions_.take({{name, "large"}, {"another", 1}}, "ada", is_lost_);
  ASSERT_TRUE(answered.has_value());
  EXPECT_EQ(answered->answers, Json({{"size", "large"}}));
  EXPECT_TRUE(questions_.is_empty());
}

TEST_F(UpstreamQuestionsTest, NobodyAnswersForSomebodyElse) {
  const auto name = ask("ada");
  EXPECT_FALSE(questions_.take({{name, "large"}}, "bob", is_lost_).has_value());
  EXPECT_TRUE(is_lost_);
  EXPECT_TRUE(questions_.take({{name, "large"}}, "ada", is_lost_).has_value());
}

TEST_F(UpstreamQuestionsTest, AnAnswerCountsOnce) {
  const auto name = ask("ada");
  EXPECT_TRUE(questions_.take({{name, "large"}}, "ada", is_lost_).has_value());
  EXPECT_FALSE(questions_.take({{name, "large"}}, "ada", is_lost_).has_value());
  EXPECT_TRUE(is_lost_);
}

TEST_F(UpstreamQuestionsTest, OfSeveralRoundsTheLastIsTaken) {
  const auto first = ask("ada");
  EXPECT_TRUE(questions_.take({{first, 1}}, "ada", is_lost_).has_value());
  const auto second = ask("ada");
  const auto answered = questions_.take({{first, 1}, {second, 2}}, "ada", is_lost_);
  ASSERT_TRUE(answered.has_value());
  EXPECT_EQ(answered->answers, Json({{"size", 2}}));
  EXPECT_FALSE(is_lost_);
}

TEST_F(UpstreamQuestionsTest, AnswersToAPluginsOwnNamesAreNoneOfThese) {
  EXPECT_FALSE(questions_.take({{"size", "large"}}, "ada", is_lost_).has_value());
  EXPECT_FALSE(is_lost_);
}

TEST_F(UpstreamQuestionsTest, ExpireAndEndWithTheirConnection) {
  ask("ada");
  ask("ada", 7);
  questions_.drop_requests();
  EXPECT_TRUE(questions_.take_expired(now_).empty());
  EXPECT_EQ(questions_.take_expired(now_ + UpstreamQuestions::time).size(), 1U);
  EXPECT_TRUE(questions_.is_empty());
}

TEST_F(UpstreamQuestionsTest, ThereAreOnlySoMany) {
  for (std::size_t i = 0; i < UpstreamQuestions::max_open; ++i)
    ASSERT_FALSE(ask("{}").empty());
  EXPECT_TRUE(ask("{}").empty());
}

TEST_F(UpstreamQuestionsTest, NobodyTakesThePlacesOfAll) {
  for (std::size_t i = 0; i < UpstreamQuestions::max_open_of_caller; ++i)
    ASSERT_FALSE(ask("ada").empty());
  EXPECT_TRUE(ask("ada").empty());
  EXPECT_FALSE(ask("bob").empty());
}

}  // namespace
}  // namespace mcph
