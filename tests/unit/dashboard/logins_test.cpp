#include "dashboard/logins.hpp"

#include <string>

#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::chrono_literals;

class LoginsTest : public ::testing::Test {
 protected:
  static DashboardLogin login_of(const std::string& name) {
    return {Principal({.issuer = "host", .subject = name}), name == "keeper"};
  }

  Logins::Time now_{};
  Logins logins_{[this] { return now_; }};
};

TEST_F(LoginsTest, ATokenLetsInOnce) {
  const auto token = logins_.issue();
  EXPECT_EQ(token.size(), 43U);  // 32 bytes in base64url
  EXPECT_FALSE(logins_.redeem(token + "x"));
  EXPECT_TRUE(logins_.redeem(token));
  EXPECT_FALSE(logins_.redeem(token));
  EXPECT_FALSE(logins_.redeem(""));
}

TEST_F(LoginsTest, ATokenIsGoodForAMinute) {
  const auto first = logins_.issue();
  const auto second = logins_.issue();
  now_ += 59s;
  EXPECT_TRUE(logins_.redeem(first));
  now_ += 1s;
  EXPECT_FALSE(logins_.redeem(second));
}

TEST_F(LoginsTest, OfTooManyTokensTheOldestGoes) {
  const auto oldest = logins_.issue();
  std::string last;
  for (std::size_t i = 0; i < Logins::max_tokens; ++i) {
    now_ += 1ms;
    last = logins_.issue();
  }
  EXPECT_FALSE(logins_.redeem(oldest));
  EXPECT_TRUE(logins_.redeem(last));
}

TEST_F(LoginsTest, TooManySessionsOfOneTakeTheirOwnPlaces) {
  const auto others = logins_.begin(login_of("keeper"));
  now_ += 1ms;
  const auto oldest = logins_.begin(login_of("ada"));
  std::string last;
  for (std::size_t i = 0; i < Logins::max_sessions; ++i) {
    now_ += 1ms;
    last = logins_.begin(login_of("ada"));
  }
  EXPECT_TRUE(logins_.find(others));
  EXPECT_FALSE(logins_.find(oldest));
  EXPECT_TRUE(logins_.find(last));
}

TEST_F(LoginsTest, ASessionIsThereUntilItEnds) {
  const auto session = logins_.begin(login_of("keeper"));
  const auto other = logins_.begin(login_of("ada"));
  ASSERT_TRUE(logins_.find(session));
  EXPECT_EQ(logins_.find(session)->principal.id(), "host#keeper");
  EXPECT_TRUE(logins_.find(session)->may_operate);
  EXPECT_FALSE(logins_.find(other)->may_operate);
  EXPECT_FALSE(logins_.find("guess"));
  const auto login = logins_.find(session);
  EXPECT_EQ(login->principal.identity().login, logins_.find(session)->principal.identity().login);
  EXPECT_NE(login->principal.identity().login, logins_.find(logins_.begin(*login))->principal.identity().login);
  ASSERT_TRUE(logins_.end(session));
  EXPECT_FALSE(logins_.find(session));
  EXPECT_FALSE(logins_.end(session));
  now_ += Logins::session_time;
  EXPECT_FALSE(logins_.find(other));
}

}  // namespace
}  // namespace mcph
