#include "sources/upstream/upstream_questions.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

class UpstreamQuestionsTest : public ::testing::Test {
 protected:
  // The state that comes back with the answer to "size".
  std::string ask(const std::string& caller, std::uint64_t request = 0) {
    AskedQuestions asked;
    asked.caller = caller;
    asked.request = request;
    asked.requests = {{"size", {{"method", "roots/list"}}}};
    const auto text = questions_.ask(std::move(asked), now_);
    return text ? Json::parse(*text)["inputState"].get<std::string>() : "";
  }

  UpstreamQuestions::Clock::time_point now_;
  UpstreamQuestions questions_;
};

TEST_F(UpstreamQuestionsTest, AnswersComeBackWithoutThoseOfOtherRounds) {
  const auto state = ask("ada");
  const auto answered = questions_.take(state, {{"size", "large"}, {"another", 1}}, "ada");
  ASSERT_TRUE(answered.has_value());
  EXPECT_EQ(answered->answers, Json({{"size", "large"}}));
  EXPECT_TRUE(questions_.is_empty());
}

TEST_F(UpstreamQuestionsTest, NobodyAnswersForSomebodyElse) {
  const auto state = ask("ada");
  EXPECT_FALSE(questions_.take(state, {{"size", "large"}}, "bob").has_value());
  EXPECT_TRUE(questions_.take(state, {{"size", "large"}}, "ada").has_value());
}

TEST_F(UpstreamQuestionsTest, AnAnswerCountsOnce) {
  const auto state = ask("ada");
  EXPECT_TRUE(questions_.take(state, {{"size", "large"}}, "ada").has_value());
  EXPECT_FALSE(questions_.take(state, {{"size", "large"}}, "ada").has_value());
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
  for (std::size_t i = 0; i < UpstreamQuestions::max_open_of_nobody; ++i)
    ASSERT_FALSE(ask("{}").empty());
  EXPECT_TRUE(ask("{}").empty());
  for (std::size_t i = UpstreamQuestions::max_open_of_nobody; i < UpstreamQuestions::max_open; ++i)
    ASSERT_FALSE(ask("person " + std::to_string(i)).empty());
  EXPECT_TRUE(ask("one more").empty());
}

TEST_F(UpstreamQuestionsTest, TheyHaveABoundInBytes) {
  AskedQuestions asked;
  asked.caller = "ada";
  asked.requests = {
      {"size", {{"method", "roots/list"}, {"params", std::string(UpstreamQuestions::max_bytes / 2, 'x')}}}};
  const auto text = questions_.ask(asked, now_);
  ASSERT_TRUE(text.has_value());
  EXPECT_FALSE(questions_.ask(asked, now_).has_value());
  EXPECT_TRUE(questions_.take(Json::parse(*text)["inputState"], Json::object(), "ada").has_value());
  EXPECT_TRUE(questions_.ask(asked, now_).has_value());
}

TEST_F(UpstreamQuestionsTest, NobodyTakesThePlacesOfAll) {
  for (std::size_t i = 0; i < UpstreamQuestions::max_open_of_caller; ++i)
    ASSERT_FALSE(ask("ada").empty());
  EXPECT_TRUE(ask("ada").empty());
  EXPECT_FALSE(ask("bob").empty());
}

}  // namespace
}  // namespace mcph
