#include "transport/streamable_http/limit_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ip_address.hpp"
#include "transport/streamable_http/limit_requests.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(LimitFields, SayWhatIsLeft) {
  EXPECT_THAT(limit_fields({"limits.per_principal", false, 10, 60s, 7, 17'001ms}),
              ElementsAre(Pair("RateLimit-Policy", "\"per_principal\";q=10;w=60"),
                          Pair("RateLimit", "\"per_principal\";r=7;t=18"), Pair("X-RateLimit-Limit", "10"),
                          Pair("X-RateLimit-Remaining", "7"), Pair("X-RateLimit-Reset", "18")));
}

TEST(LimitFields, SayWhenToTryAgain) {
  EXPECT_THAT(
      refusal_fields({"limits.all", true, 8, 0s, 0, 1000ms}),
      ElementsAre(Pair("RateLimit-Policy", "\"all\";q=8;qu=\"concurrent-requests\""),
                  Pair("RateLimit", "\"all\";r=0;t=1"), Pair("X-RateLimit-Limit", "8"),
                  Pair("X-RateLimit-Remaining", "0"), Pair("X-RateLimit-Reset", "1"), Pair("Retry-After", "1")));
}

TEST(LimitFields, MakeOfANameWhatAFieldCanHave) {
  EXPECT_EQ(limit_fields({"limits.component.a\"\\\r\nü", false, 1, 1s, 0, 1s}).at(1).second,
            "\"component.a______\";r=0;t=1");
}

TEST(AddressKey, TellsSitesApart) {
  const auto key = [](const char* address) { return address_key(*IpAddress::read(address)); };
  EXPECT_NE(key("10.0.0.1"), key("10.0.0.2"));
  EXPECT_EQ(key("10.0.0.1"), key("::ffff:10.0.0.1"));
  EXPECT_EQ(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::2"));
  EXPECT_NE(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
}

}  // namespace
}  // namespace mcph
