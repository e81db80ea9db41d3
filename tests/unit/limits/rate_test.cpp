#include "limits/rate.hpp"

#include <gtest/gtest.h>

#include "limits/keyed_hash.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

TEST(Rate, IsReadAndWrittenAsCountAndPeriod) {
  for (const auto* text : {"1/s", "60/min", "1000000/h", "5/d"}) {
    const auto rate = read_rate(text);
    ASSERT_TRUE(rate) << text;
    EXPECT_EQ(rate_text(*rate), text);
  }
  EXPECT_EQ(read_rate("60/min")->period, 1min);
}

TEST(Rate, IsNothingElse) {
  for (const auto* text : {"", "60", "/s", "0/s", "-1/s", "1.5/s", "1000001/s", "60/minute", "60 /s", "1/ s", "x/s"}) {
    const auto rate = read_rate(text);
    ASSERT_TRUE(rate.has_error()) << text;
    EXPECT_EQ(rate.error().message,
              "must be COUNT/PERIOD, such as 60/min, with a count from 1 to 1000000 and a period "
              "s, min, h or d, but is \"" +
                  std::string(text) + "\"");
  }
}

TEST(Rate, IsNeverExceededByWhatDoesNotDivideIt) {
  const auto size = BucketSize::of({.count = 7, .period = 1s}, 3);
  EXPECT_EQ(size.interval, 142'857'143);
  EXPECT_EQ(size.burst(), 3U);
}

TEST(KeyedHash, DependsOnEachByteAndOnItsKeyAndOnWhatStandsBefore) {
  const KeyedHash hash(1, 2);
  EXPECT_EQ(hash.of("ada"), hash.of("ada"));
  EXPECT_NE(hash.of("ada"), hash.of("adb"));
  EXPECT_NE(hash.of(""), hash.of(std::string_view("\0", 1)));
  EXPECT_NE(hash.of("ada"), KeyedHash(1, 3).of("ada"));
  EXPECT_NE(hash.of("c", hash.of("ab")), hash.of("bc", hash.of("a")));
  EXPECT_NE(KeyedHash::random().of("ada"), KeyedHash::random().of("ada"));
}

}  // namespace
}  // namespace mcph
