#include <chrono>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/testing.hpp>

#include "clock/setup.hpp"
#include "support/temporary_folder.hpp"

namespace plugins::clock {
namespace {

using mcp::Json;
using testing::HasSubstr;

// 2026-07-03T12:05:09.250Z
void setup_at_a_known_time(mcp::Plugin& plugin) {
  setup_with(plugin,
             [] { return std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(1783080309250)); });
}

// With the database of this machine, whose past does not change.
class Clock : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/usr/share/zoneinfo/Europe/Berlin")) GTEST_SKIP() << "tzdata is not installed";
  }

  Json convert(const Json& arguments) {
    const auto outcome = harness_.call_tool("convert_time", arguments);
    EXPECT_TRUE(outcome.ok()) << outcome.text();
    return outcome.structured();
  }

  mcp::testing::Harness harness_{setup_at_a_known_time};
};

TEST_F(Clock, SaysWhatTimeItIs) {
  const auto outcome = harness_.call_tool("now", {{"zone", "Europe/Berlin"}});
  ASSERT_TRUE(outcome.ok()) << outcome.text();
  EXPECT_EQ(outcome.structured(), (Json{{"time", "2026-07-03T14:05:09.250+02:00"},
                                        {"zone", "Europe/Berlin"},
                                        {"utc", "2026-07-03T12:05:09.250Z"},
                                        {"unix_seconds", 1783080309},
                                        {"offset", "+02:00"},
                                        {"abbreviation", "CEST"},
                                        {"daylight_saving", true},
                                        {"weekday", "Friday"}}));
  EXPECT_EQ(harness_.call_tool("now").structured()["time"], "2026-07-03T12:05:09.250+00:00");
}

TEST_F(Clock, SaysItByAnotherNameToo) {
  const auto outcome = harness_.call_tool("get_time", {{"timezone", "Europe/Berlin"}});
  EXPECT_EQ(outcome.structured(), harness_.call_tool("now", {{"zone", "Europe/Berlin"}}).structured());
  EXPECT_EQ(harness_.call_tool("get_time").structured()["zone"], "UTC");
}

TEST_F(Clock, TheRealClockGoes) {
  mcp::testing::Harness harness(setup);
  const auto before = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch();
  const auto now = harness.call_tool("now").structured()["unix_seconds"].get<std::int64_t>();
  EXPECT_GE(now, before.count());
  const auto after = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch();
  EXPECT_LE(now, after.count());
}

TEST_F(Clock, ConvertsBetweenZones) {
  const Json result = convert({{"time", "2024-01-15T09:30"}, {"from", "America/New_York"}, {"to", "Asia/Kolkata"}});
  EXPECT_EQ(result["from"]["time"], "2024-01-15T09:30:00-05:00");
  EXPECT_EQ(result["to"]["time"], "2024-01-15T20:00:00+05:30");
  EXPECT_EQ(result["difference"], "+10:30");
  EXPECT_FALSE(result.contains("note"));
}

TEST_F(Clock, TimeWithoutZoneIsUtc) {
  EXPECT_EQ(convert({{"time", "2024-07-01T12:00"}, {"to", "Asia/Tokyo"}})["to"]["time"], "2024-07-01T21:00:00+09:00");
}

TEST_F(Clock, TimeWithAnOffsetAndNoZoneIsFromThatOffset) {
  const Json result = convert({{"time", "2026-03-29T14:30:00+02:00"}, {"to", "Asia/Tokyo"}});
  EXPECT_EQ(result["from"], (Json{{"time", "2026-03-29T14:30:00+02:00"},
                                  {"zone", "+02:00"},
                                  {"utc", "2026-03-29T12:30:00Z"},
                                  {"unix_seconds", 1774787400},
                                  {"offset", "+02:00"},
                                  {"abbreviation", "+02:00"},
                                  {"daylight_saving", false},
                                  {"weekday", "Sunday"}}));
  EXPECT_EQ(result["to"]["time"], "2026-03-29T21:30:00+09:00");
  EXPECT_EQ(result["difference"], "+07:00");
  EXPECT_FALSE(result.contains("note"));
  EXPECT_EQ(convert({{"time", "2026-03-29T14:30Z"}, {"to", "Asia/Tokyo"}})["from"]["zone"], "UTC");
}

TEST_F(Clock, OffsetOfTheTimeCounts) {
  const Json result = convert({{"time", "2024-07-01T12:00-07:00"}, {"from", "Europe/Berlin"}, {"to", "Europe/London"}});
  EXPECT_EQ(result["to"]["time"], "2024-07-01T20:00:00+01:00");
  EXPECT_EQ(result["from"]["time"], "2024-07-01T21:00:00+02:00");
  EXPECT_EQ(result["note"], "The time says its offset, -07:00, which counts; \"from\" does not.");
}

TEST_F(Clock, SaysThatATimeWasSkipped) {
  const Json result = convert({{"time", "2024-03-31T02:30"}, {"from", "Europe/Berlin"}, {"to", "UTC"}});
  EXPECT_EQ(result["from"]["time"], "2024-03-31T03:30:00+02:00");
  EXPECT_EQ(result["to"]["time"], "2024-03-31T01:30:00+00:00");
  EXPECT_EQ(result["note"],
            "There is no 2024-03-31T02:30:00 in Europe/Berlin: clocks are put forward from +01:00 (CET) to +02:00 "
            "(CEST) then. It was read with the offset before the change, +01:00.");
}

TEST_F(Clock, SaysThatATimeIsAmbiguous) {
  const Json result = convert({{"time", "2024-11-03T01:30"}, {"from", "America/New_York"}, {"to", "UTC"}});
  EXPECT_EQ(result["to"]["time"], "2024-11-03T05:30:00+00:00");
  EXPECT_EQ(result["note"],
            "There are two 2024-11-03T01:30:00 in America/New_York, because clocks are put back: one with -04:00 (EDT) "
            "and a later one with -05:00 (EST). The earlier was taken; write the offset behind the time to choose.");
}

TEST_F(Clock, KnowsTimesFarAwayFromNow) {
  EXPECT_EQ(convert({{"time", "2150-07-01T12:00"}, {"to", "America/New_York"}})["to"]["abbreviation"], "EDT");
  EXPECT_EQ(convert({{"time", "1850-01-01T12:00"}, {"to", "Europe/London"}})["to"]["offset"], "+00:00");
  EXPECT_EQ(convert({{"time", "1900-01-01T12:00"}, {"to", "Africa/Monrovia"}})["to"]["offset"], "-00:43:08");
  EXPECT_EQ(convert({{"time", "2011-12-30T09:59"}, {"to", "Pacific/Apia"}})["to"]["time"], "2011-12-29T23:59:00-10:00");
}

TEST_F(Clock, NameInAnotherCaseIsTheSame) {
  EXPECT_EQ(convert({{"time", "2024-07-01"}, {"to", "europe/berlin"}})["to"]["zone"], "Europe/Berlin");
}

TEST_F(Clock, UnknownZoneIsAnErrorWithSuggestions) {
  const auto outcome = harness_.call_tool("now", {{"zone", "Europe/Berln"}});
  EXPECT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.text(), HasSubstr("Unknown time zone \"Europe/Berln\". Similar: Europe/Berlin"));
  EXPECT_THAT(harness_.call_tool("now", {{"zone", "Xyzzy"}}).text(), HasSubstr("time_zones lists them"));
}

TEST_F(Clock, RefusesANameThatIsAPath) {
  for (const char* zone : {"../../../etc/passwd", "/etc/localtime", "Europe", "zone.tab", "", "right/Europe/Berlin"}) {
    EXPECT_FALSE(harness_.call_tool("now", {{"zone", zone}}).ok()) << zone;
  }
}

TEST_F(Clock, AFileThatIsNoZoneIsAnUnknownOne) {
  for (const std::string zone : {"leapseconds", "right/Europe/Berlin"}) {
    const auto outcome = harness_.call_tool("now", {{"zone", zone}});
    EXPECT_FALSE(outcome.ok());
    EXPECT_THAT(outcome.text(), HasSubstr("Unknown time zone \"" + zone + "\". ")) << zone;
  }
}

TEST_F(Clock, ListsZones) {
  const auto found = harness_.call_tool("time_zones", {{"filter", "new york"}}).structured();
  EXPECT_EQ(found["zones"], Json{"America/New_York"});
  EXPECT_EQ(found["total"], 1);
  const auto all = harness_.call_tool("time_zones", {{"limit", 3}}).structured();
  EXPECT_EQ(all["zones"].size(), 3U);
  EXPECT_GT(all["total"].get<int>(), 300);
  EXPECT_EQ(harness_.call_tool("time_zones", {{"filter", "right/"}}).structured()["total"], 0);
}

TEST(ClockWithoutDatabase, SaysHowToInstallIt) {
  const mcph::test::TemporaryFolder folder;
  mcp::testing::Harness harness(setup_at_a_known_time, {{"zoneinfo", folder.path().string()}});
  EXPECT_EQ(harness.call_tool("now").structured()["time"], "2026-07-03T12:05:09.250+00:00");
  const auto outcome = harness.call_tool("now", {{"zone", "Europe/Berlin"}});
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.text(), "There is no time zone database in " + folder.path().string() +
                                ", so UTC is the only zone: install the package tzdata, or name its folder in "
                                "clock.json: {\"zoneinfo\": \"/path\"}");
}

TEST(ClockWithoutDatabase, BrokenFileIsNamed) {
  const mcph::test::TemporaryFolder folder;
  folder.write("Europe/Berlin", "TZif");
  mcp::testing::Harness harness(setup_at_a_known_time, {{"zoneinfo", folder.path().string()}});
  const auto outcome = harness.call_tool("now", {{"zone", "Europe/Berlin"}});
  EXPECT_EQ(outcome.text(),
            "The time zone file " + folder.path().string() + "/Europe/Berlin cannot be used: the file ends too early");
}

}  // namespace
}  // namespace plugins::clock
