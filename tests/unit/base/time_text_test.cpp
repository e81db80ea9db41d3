#include "base/time_text.hpp"

#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::chrono_literals;
using Time = std::chrono::system_clock::time_point;

TEST(TimeText, IsReadAsItIsWritten) {
  for (const auto when : {Time(), Time(1s), Time(951'782'399s), Time(951'782'400s), Time(4'102'444'799s)})
    EXPECT_EQ(read_time(time_text(when)), when) << time_text(when);
  EXPECT_EQ(time_text(Time(951'782'400s)), "2000-02-29T00:00:00Z");
  EXPECT_EQ(read_time("2000-02-29"), Time(951'782'400s));
}

TEST(TimeText, IsWrittenToTheMillisecond) {
  EXPECT_EQ(precise_time_text(Time(951'782'400s)), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(precise_time_text(Time(951'782'400'007'999us)), "2000-02-29T00:00:00.007Z");
  EXPECT_EQ(precise_time_text(Time(951'782'400'999ms)), "2000-02-29T00:00:00.999Z");
  std::string text = "at ";
  append_precise_time(text, Time(4'102'444'799'010ms));
  EXPECT_EQ(text, "at 2099-12-31T23:59:59.010Z");
}

TEST(TimeText, IsNothingElse) {
  for (const auto* text : {"", "2000", "2000-13-01", "2001-02-29", "2000-02-29T24:00:00Z", "2000-02-29T00:60:00Z",
                           "2000-02-29 00:00:00Z", "2000-02-29T00:00:00", "2000-02-29T00:00:00z", "2000-02-2x",
                           "-200-02-29", "2000--2-29", "2000-02-29T00:00:00Z ", "2262-01-01", "1969-12-31"})
    EXPECT_FALSE(read_time(text)) << text;
}

}  // namespace
}  // namespace mcph
