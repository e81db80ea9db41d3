#include "sources/upstream/upstream_input_requests.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

class UpstreamInputRequestsTest : public ::testing::Test {
 protected:
  // The state that comes back with the answer to "size".
  std::string ask(const std::string& caller, std::uint64_t request = 0, bool is_on_stream = false) {
    AskedInputRequests asked;
    if (!caller.empty()) asked.caller = {caller};
    asked.request = request;
    asked.is_on_stream = is_on_stream;
    asked.requests = {{"size", {{"method", "roots/list"}}}};
    const auto text = input_requests_.ask(std::move(asked), now_);
    return text ? Json::parse(*text)["inputState"].get<std::string>() : "";
  }

  UpstreamInputRequests::Clock::time_point now_;
  UpstreamInputRequests input_requests_;
};

TEST_F(UpstreamInputRequestsTest, AnswersComeBackWithoutThoseOfOtherRounds) {
  const auto state = ask("ada");
  const auto answered = input_requests_.take(state, {{"size", "large"}, {"another", 1}}, {"ada"});
  ASSERT_TRUE(answered.has_value());
  EXPECT_EQ(answered->answers, Json({{"size", "large"}}));
  EXPECT_TRUE(input_requests_.take_expired(now_ + UpstreamInputRequests::time).empty());
}

TEST_F(UpstreamInputRequestsTest, NobodyAnswersForSomebodyElse) {
  const auto state = ask("ada");
  EXPECT_FALSE(input_requests_.take(state, {{"size", "large"}}, {"bob"}).has_value());
  EXPECT_TRUE(input_requests_.take(state, {{"size", "large"}}, {"ada"}).has_value());
}

TEST_F(UpstreamInputRequestsTest, AnAnswerCountsOnce) {
  const auto state = ask("ada");
  EXPECT_TRUE(input_requests_.take(state, {{"size", "large"}}, {"ada"}).has_value());
  EXPECT_FALSE(input_requests_.take(state, {{"size", "large"}}, {"ada"}).has_value());
}

TEST_F(UpstreamInputRequestsTest, ExpireAndEndWithTheirConnection) {
  ask("ada");
  ask("ada", 7);
  input_requests_.drop_requests();
  EXPECT_TRUE(input_requests_.take_expired(now_).empty());
  EXPECT_EQ(input_requests_.take_expired(now_ + UpstreamInputRequests::time).size(), 1U);
}

TEST_F(UpstreamInputRequestsTest, ThereAreOnlySoMany) {
  for (std::size_t i = 0; i < UpstreamInputRequests::max_open_of_nobody; ++i)
    ASSERT_FALSE(ask("").empty());
  EXPECT_TRUE(ask("").empty());
  for (std::size_t i = UpstreamInputRequests::max_open_of_nobody; i < UpstreamInputRequests::max_open; ++i)
    ASSERT_FALSE(ask("person " + std::to_string(i)).empty());
  EXPECT_TRUE(ask("one more").empty());
}

// Each holds a connection, of which there are not many more.
TEST_F(UpstreamInputRequestsTest, ThereAreFewerOfRequestsOnStreams) {
  for (std::size_t i = 0; i < UpstreamInputRequests::max_on_streams_of_nobody; ++i)
    ASSERT_FALSE(ask("", 7, true).empty());
  EXPECT_TRUE(ask("", 7, true).empty());
  EXPECT_FALSE(ask("", 7).empty());
  for (std::size_t i = 0; i < UpstreamInputRequests::max_on_streams_of_caller; ++i)
    ASSERT_FALSE(ask("ada", 7, true).empty());
  EXPECT_TRUE(ask("ada", 7, true).empty());
  EXPECT_FALSE(ask("ada", 7).empty());
  for (std::size_t i =
           UpstreamInputRequests::max_on_streams_of_nobody + UpstreamInputRequests::max_on_streams_of_caller;
       i < UpstreamInputRequests::max_on_streams; ++i)
    ASSERT_FALSE(ask("person " + std::to_string(i), 7, true).empty());
  EXPECT_TRUE(ask("one more", 7, true).empty());
  EXPECT_FALSE(ask("one more", 7).empty());
}

TEST_F(UpstreamInputRequestsTest, ARequestThatHasEndedTakesNoPlaceOfThoseOnStreams) {
  const auto first = ask("ada", 1, true);
  for (std::size_t i = 1; i < UpstreamInputRequests::max_on_streams_of_caller; ++i)
    ASSERT_FALSE(ask("ada", 1 + i, true).empty());
  ASSERT_TRUE(ask("ada", 100, true).empty());
  input_requests_.end_stream(0, 1);
  EXPECT_FALSE(ask("ada", 100, true).empty());
  EXPECT_TRUE(ask("ada", 101, true).empty());
  EXPECT_TRUE(input_requests_.take(first, Json::object(), {"ada"}).has_value());
}

TEST_F(UpstreamInputRequestsTest, TheyHaveABoundInBytes) {
  AskedInputRequests asked;
  asked.caller = {"ada"};
  asked.requests = {
      {"size", {{"method", "roots/list"}, {"params", std::string(UpstreamInputRequests::max_bytes / 2, 'x')}}}};
  const auto text = input_requests_.ask(asked, now_);
  ASSERT_TRUE(text.has_value());
  EXPECT_FALSE(input_requests_.ask(asked, now_).has_value());
  EXPECT_TRUE(input_requests_.take(Json::parse(*text)["inputState"], Json::object(), {"ada"}).has_value());
  EXPECT_TRUE(input_requests_.ask(asked, now_).has_value());
}

TEST_F(UpstreamInputRequestsTest, NobodyTakesThePlacesOfAll) {
  for (std::size_t i = 0; i < UpstreamInputRequests::max_open_of_caller; ++i)
    ASSERT_FALSE(ask("ada").empty());
  EXPECT_TRUE(ask("ada").empty());
  EXPECT_FALSE(ask("bob").empty());
}

}  // namespace
}  // namespace mcph
