#include "audit/refusal_sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mcph {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class RefusalSumsTest : public ::testing::Test {
 protected:
  std::vector<std::string> take(bool is_end = false) {
    std::vector<std::string> taken;
    for (const auto& event : sums_.take(now_, is_end))
      taken.push_back(event.members());
    return taken;
  }

  RefusalSums sums_;
  RefusalSums::Time now_{1'785'240'000s};  // the first second of a minute
};

TEST_F(RefusalSumsTest, HaveOneLineForASourceAndAMinute) {
  EXPECT_EQ(sums_.due(), std::nullopt);
  for (int i = 0; i < 3; ++i)
    sums_.add({.source = "10.0.0.1", .outcome = "http 401"}, now_ + 1s * i);
  sums_.add({.source = "10.0.0.1", .outcome = "http 429"}, now_ + 59s);
  sums_.add({.source = "10.0.0.2", .outcome = "http 401"}, now_ + 59s);
  EXPECT_EQ(sums_.due(), now_ + 60s);
  now_ += 59s;
  EXPECT_TRUE(take().empty());
  now_ += 1s;
  EXPECT_THAT(take(), ::testing::ElementsAre(
                          R"("event":"refused","source":"10.0.0.1","minute":"2026-07-28T12:00:00.000Z","count":4,)"
                          R"("outcomes":{"http 401":3,"http 429":1})",
                          R"("event":"refused","source":"10.0.0.2","minute":"2026-07-28T12:00:00.000Z","count":1,)"
                          R"("outcomes":{"http 401":1})"));
  EXPECT_EQ(sums_.due(), std::nullopt);
}

TEST_F(RefusalSumsTest, KeepAMinuteThatIsOverForWhoeverTakesItLater) {
  sums_.add({.source = "10.0.0.1", .outcome = "http 401"}, now_);
  now_ += 61s;
  sums_.add({.source = "10.0.0.1", .outcome = "http 401"}, now_);
  EXPECT_EQ(take().size(), 1U);
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(take(true).size(), 1U);
}

TEST_F(RefusalSumsTest, CountPrincipalsApart) {
  sums_.add({.source = "10.0.0.1", .principal = R"({"subject":"ada"})", .outcome = "http 429"}, now_);
  sums_.add({.source = "10.0.0.1", .outcome = "http 401"}, now_);
  const auto lines = take(true);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[1], HasSubstr(R"("principal":{"subject":"ada"})"));
}

TEST_F(RefusalSumsTest, AreOfSoManySourcesAndCountOthersTogether) {
  for (std::size_t i = 0; i < RefusalSums::max_sources + 50; ++i)
    sums_.add({.source = "10.0." + std::to_string(i), .outcome = "http 401"}, now_);
  const auto lines = take(true);
  ASSERT_EQ(lines.size(), RefusalSums::max_sources + 1);
  EXPECT_THAT(lines.back(), HasSubstr(R"("source":"other")"));
  EXPECT_THAT(lines.back(), HasSubstr(R"("count":50)"));
}

TEST_F(RefusalSumsTest, AreOfSoManyOutcomes) {
  for (std::size_t i = 0; i < RefusalSums::max_outcomes + 5; ++i)
    sums_.add({.source = "10.0.0.1", .outcome = "error " + std::to_string(i)}, now_);
  EXPECT_THAT(take(true).front(), HasSubstr(R"("other":5)"));
}

}  // namespace
}  // namespace mcph
