#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mcp/plugin/error.hpp>

#include "clock/iso_time.hpp"
#include "clock/posix_rule.hpp"
#include "clock/time_zone.hpp"
#include "clock/zone_data.hpp"
#include "clock/zone_names.hpp"

namespace plugins::clock {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::string_literals;

std::chrono::local_seconds local(std::string_view text) {
  return parse_iso_time(text).time;
}

sys_seconds utc(std::string_view text) {
  return sys_seconds(local(text).time_since_epoch());
}

std::string shown(sys_seconds time) {
  return iso_text(std::chrono::local_seconds(time.time_since_epoch()), milliseconds(0));
}

TimeZone by_rule(std::string_view rule) {
  return {"Test", ZoneData{{}, {Offset{}}, PosixRule::parse(rule).value()}};
}

std::string abbreviation(const TimeZone& zone, std::string_view time) {
  return zone.offset_at(utc(time)).abbreviation;
}

TEST(PosixRule, ChangesOnTheLastSunday) {
  const TimeZone berlin = by_rule("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(abbreviation(berlin, "2100-03-28T00:59:59"), "CET");
  EXPECT_EQ(abbreviation(berlin, "2100-03-28T01:00:00"), "CEST");
  EXPECT_EQ(abbreviation(berlin, "2100-10-31T00:59:59"), "CEST");
  EXPECT_EQ(abbreviation(berlin, "2100-10-31T01:00:00"), "CET");
  EXPECT_EQ(berlin.offset_at(utc("2100-07-01")).from_utc, hours(2));
  EXPECT_TRUE(berlin.offset_at(utc("2100-07-01")).is_daylight_saving);
}

TEST(PosixRule, KnowsTheSouthernHemisphere) {
  const TimeZone sydney = by_rule("AEST-10AEDT,M10.1.0,M4.1.0/3");
  EXPECT_EQ(abbreviation(sydney, "2100-01-01"), "AEDT");
  EXPECT_EQ(abbreviation(sydney, "2100-07-01"), "AEST");
  EXPECT_EQ(abbreviation(sydney, "2100-12-31T23:59:59"), "AEDT");
}

// Ireland, where by law winter is the exception.
TEST(PosixRule, DaylightSavingIsInSummerAlsoWhereItIsNegative) {
  const TimeZone dublin = by_rule("IST-1GMT0,M10.5.0,M3.5.0/1");
  EXPECT_EQ(abbreviation(dublin, "2100-07-01"), "IST");
  EXPECT_TRUE(dublin.offset_at(utc("2100-07-01")).is_daylight_saving);
  EXPECT_EQ(abbreviation(dublin, "2100-01-01"), "GMT");
  EXPECT_FALSE(dublin.offset_at(utc("2100-01-01")).is_daylight_saving);
}

TEST(TimeZone, OnlyWhatLiesBetweenTwoOfTheOtherKindIsTurnedRound) {
  const Offset winter{hours(0), true, "GMT"};
  const Offset summer{hours(1), false, "IST"};
  const TimeZone zone("Test", ZoneData{{{utc("1970-01-01"), 0},
                                        {utc("1971-01-01"), 1},
                                        {utc("1972-01-01"), 0},
                                        {utc("1973-01-01"), 1},
                                        {utc("1974-01-01"), 0}},
                                       {summer, winter},
                                       std::nullopt});
  for (const auto& [time, is_daylight_saving] :
       {std::pair("1970-06-01", false), std::pair("1971-06-01", false), std::pair("1972-06-01", true),
        std::pair("1973-06-01", false), std::pair("1974-06-01", false)})
    EXPECT_EQ(zone.offset_at(utc(time)).is_daylight_saving, is_daylight_saving) << time;
}

TEST(PosixRule, KnowsEveryFormOfADate) {
  const TimeZone julian = by_rule("AAA0BBB,J60/0,J300/0");
  EXPECT_EQ(abbreviation(julian, "2096-02-29T23:59:59"), "AAA");
  EXPECT_EQ(abbreviation(julian, "2096-03-01T00:00:00"), "BBB");
  EXPECT_EQ(abbreviation(julian, "2097-03-01T00:00:00"), "BBB");
  const TimeZone zero_based = by_rule("AAA0BBB,59/0,300/0");
  EXPECT_EQ(abbreviation(zero_based, "2096-02-28T23:59:59"), "AAA");
  EXPECT_EQ(abbreviation(zero_based, "2096-02-29T00:00:00"), "BBB");
}

TEST(PosixRule, KnowsTimesBeyondTheDay) {
  // Nuuk: on the Saturday before the last Sunday.
  const TimeZone nuuk = by_rule("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
  EXPECT_EQ(abbreviation(nuuk, "2100-03-28T00:59:59"), "-02");
  EXPECT_EQ(abbreviation(nuuk, "2100-03-28T01:00:00"), "-01");
  // Gaza's rule has had 50 hours.
  const TimeZone gaza = by_rule("EET-2EEST,M3.4.4/50,M10.4.4/50");
  EXPECT_EQ(abbreviation(gaza, "2100-03-26T23:59:59"), "EET");
  EXPECT_EQ(abbreviation(gaza, "2100-03-27T00:00:00"), "EEST");
  // A week before the year, and a week after it.
  const TimeZone early = by_rule("AAA0BBB,0/-167,1/-167");
  EXPECT_EQ(abbreviation(early, "2100-12-25T00:59:59"), "AAA");
  EXPECT_EQ(abbreviation(early, "2100-12-25T01:00:00"), "BBB");
  EXPECT_EQ(abbreviation(early, "2100-12-31T12:00:00"), "AAA");
  const TimeZone late = by_rule("AAA0BBB,J365/167,J364/167");
  EXPECT_EQ(abbreviation(late, "2100-01-03T00:00:00"), "BBB");
}

TEST(PosixRule, KnowsQuotedNamesAndOddOffsets) {
  EXPECT_EQ(by_rule("<+0545>-5:45").offset_at(utc("2100-01-01")).from_utc, hours(5) + minutes(45));
  EXPECT_EQ(by_rule("LMT0:25:21").offset_at(utc("2100-01-01")).from_utc, -seconds(1521));
  EXPECT_EQ(by_rule("AAA3BBB1,M3.5.0,M10.5.0").offset_at(utc("2100-07-01")).from_utc, -hours(1));
}

TEST(PosixRule, KnowsDaylightSavingThatNeverEnds) {
  const TimeZone zone = by_rule("XXX3EDT4,0/0,J365/23");
  for (const char* time : {"2099-12-31T23:59:59", "2100-01-01", "2100-01-01T03:59:59", "2100-01-01T04:00:00",
                           "2100-07-01", "2100-12-31T23:59:59"}) {
    EXPECT_EQ(abbreviation(zone, time), "EDT") << time;
  }
}

TEST(PosixRule, RefusesWhatIsNoRule) {
  for (const char* text :
       {"", "C", "CET", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J1", "CET-1CEST,366,1", "CET-25",
        "<CET-1", "CET-1 ", "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,M3.5.0,M10.5.0/3x", "CET--1", "12-1"}) {
    EXPECT_FALSE(PosixRule::parse(text)) << text;
  }
}

TEST(TimeZone, TimeThatIsSkippedIsMovedByTheGap) {
  const TimeZone berlin = by_rule("CET-1CEST,M3.5.0,M10.5.0/3");
  const Resolution resolution = berlin.resolve(local("2100-03-28T02:30"));
  EXPECT_EQ(resolution.kind, Resolution::Kind::skipped);
  EXPECT_EQ(shown(resolution.time), "2100-03-28T01:30:00");  // 03:30 in Berlin
  EXPECT_EQ(resolution.first.abbreviation, "CET");
  EXPECT_EQ(resolution.second.abbreviation, "CEST");
}

TEST(TimeZone, TimeThatIsRepeatedIsTheEarlierMoment) {
  const TimeZone berlin = by_rule("CET-1CEST,M3.5.0,M10.5.0/3");
  const Resolution resolution = berlin.resolve(local("2100-10-31T02:30"));
  EXPECT_EQ(resolution.kind, Resolution::Kind::repeated);
  EXPECT_EQ(shown(resolution.time), "2100-10-31T00:30:00");
  EXPECT_EQ(resolution.first.abbreviation, "CEST");
  EXPECT_EQ(resolution.second.abbreviation, "CET");
}

TEST(TimeZone, EdgesOfAChangeAreUnique) {
  const TimeZone berlin = by_rule("CET-1CEST,M3.5.0,M10.5.0/3");
  const auto kind = [&](std::string_view time) { return berlin.resolve(local(time)).kind; };
  EXPECT_EQ(kind("2100-03-28T01:59:59"), Resolution::Kind::unique);
  EXPECT_EQ(kind("2100-03-28T02:00:00"), Resolution::Kind::skipped);
  EXPECT_EQ(kind("2100-03-28T02:59:59"), Resolution::Kind::skipped);
  EXPECT_EQ(kind("2100-03-28T03:00:00"), Resolution::Kind::unique);
  EXPECT_EQ(kind("2100-10-31T01:59:59"), Resolution::Kind::unique);
  EXPECT_EQ(kind("2100-10-31T02:00:00"), Resolution::Kind::repeated);
  EXPECT_EQ(kind("2100-10-31T02:59:59"), Resolution::Kind::repeated);
  EXPECT_EQ(kind("2100-10-31T03:00:00"), Resolution::Kind::unique);
}

// Samoa crossed the date line: there was no 2011-12-30.
TEST(TimeZone, KnowsAWholeDayThatWasSkipped) {
  const TimeZone apia("Test", ZoneData{{{utc("2011-12-30T10:00"), 1}},
                                       {Offset{-hours(10), true, "-10"}, Offset{hours(14), true, "+14"}},
                                       std::nullopt});
  EXPECT_EQ(apia.resolve(local("2011-12-29T23:59:59")).kind, Resolution::Kind::unique);
  EXPECT_EQ(apia.resolve(local("2011-12-30T12:00")).kind, Resolution::Kind::skipped);
  EXPECT_EQ(shown(apia.resolve(local("2011-12-31T00:00")).time), "2011-12-30T10:00:00");
}

TEST(TimeZone, RuleDoesNotReachBackIntoTheTable) {
  const TimeZone zone("Test", ZoneData{{{utc("2020-06-01T00:00"), 1}},
                                       {Offset{hours(5), false, "OLD"}, Offset{hours(1), false, "NEW"}},
                                       PosixRule::parse("NEW-1")});
  EXPECT_EQ(zone.resolve(local("2020-06-01T00:30")).kind, Resolution::Kind::unique);
  EXPECT_EQ(shown(zone.resolve(local("2020-06-01T00:30")).time), "2020-05-31T19:30:00");
  EXPECT_EQ(zone.resolve(local("2020-06-01T02:00")).kind, Resolution::Kind::repeated);
  EXPECT_EQ(zone.resolve(local("2020-06-01T05:00")).kind, Resolution::Kind::unique);
}

std::string big_endian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i)
    text += static_cast<char>(number >> (8 * i) & 0xFFU);
  return text;
}

std::string header(char version, std::uint64_t transitions, std::uint64_t types, std::uint64_t characters,
                   std::uint64_t leap_seconds = 0) {
  return std::string("TZif") + version + std::string(15, '\0') + big_endian(0, 8) + big_endian(leap_seconds, 4) +
         big_endian(transitions, 4) + big_endian(types, 4) + big_endian(characters, 4);
}

const std::string one_type = big_endian(3600, 4) + std::string("\1\0", 2) + std::string("ABC\0", 4);

// The second part of a file of version 2, after an empty first part.
std::string version_2(const std::string& body) {
  return header('2', 0, 0, 0) + body;
}

std::string refusal(const std::string& file) {
  try {
    parse_zone_data(file);
    return "accepted";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(ZoneData, ReadsVersionOneAndTwo) {
  const ZoneData old = parse_zone_data(header('\0', 1, 1, 4) + big_endian(100, 4) + '\0' + one_type);
  ASSERT_EQ(old.transitions.size(), 1U);
  EXPECT_EQ(old.transitions[0].at, sys_seconds(seconds(100)));
  EXPECT_EQ(old.offsets[0].abbreviation, "ABC");
  EXPECT_TRUE(old.offsets[0].is_daylight_saving);
  EXPECT_FALSE(old.rule);

  const ZoneData data = parse_zone_data(
      version_2(header('2', 1, 1, 4) + big_endian(std::uint64_t{1} << 40U, 8) + '\0' + one_type + "\nABC-1\n"));
  EXPECT_EQ(data.transitions[0].at, sys_seconds(seconds(std::int64_t{1} << 40)));
  EXPECT_TRUE(data.rule);
}

TEST(ZoneData, RefusesEveryTruncation) {
  const std::string file =
      version_2(header('2', 2, 1, 4) + big_endian(100, 8) + big_endian(200, 8) + "\0\0"s + one_type + "\nABC-1\n");
  ASSERT_EQ(refusal(file), "accepted");
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(refusal(file.substr(0, size)), "accepted") << size;
}

TEST(ZoneData, RefusesWhatWouldLeadOutOfItsTables) {
  EXPECT_THAT(refusal("# a text"), HasSubstr("no file of the time zone database"));
  EXPECT_THAT(refusal(header('\0', 0xFFFFFFFF, 1, 4) + one_type), HasSubstr("ends too early"));
  EXPECT_THAT(refusal(header('\0', 1, 1, 4) + big_endian(100, 4) + '\1' + one_type), HasSubstr("not there"));
  EXPECT_THAT(refusal(header('\0', 0, 1, 4) + big_endian(0, 4) + std::string("\0\7", 2) + "ABC" + '\0'),
              HasSubstr("abbreviation"));
  EXPECT_THAT(refusal(header('\0', 0, 1, 3) + big_endian(0, 4) + std::string("\0\0", 2) + "ABC"),
              HasSubstr("abbreviation"));
  EXPECT_THAT(refusal(header('\0', 0, 0, 0)), HasSubstr("no offset"));
  EXPECT_THAT(refusal(header('\0', 0, 1, 4) + big_endian(100 * 3600, 4) + std::string("\0\0", 2) + "ABC" + '\0'),
              HasSubstr("a day or more"));
  EXPECT_THAT(refusal(header('\0', 2, 1, 4) + big_endian(200, 4) + big_endian(100, 4) + "\0\0"s + one_type),
              HasSubstr("order of time"));
  EXPECT_THAT(refusal(header('\0', 0, 1, 4, 1) + one_type + std::string(8, '\0')), HasSubstr("leap seconds"));
  EXPECT_THAT(refusal(version_2(header('2', 0, 1, 4) + one_type + "\nnonsense\n")), HasSubstr("\"nonsense\""));
}

TEST(IsoTime, ReadsWhatPeopleWrite) {
  EXPECT_EQ(shown(utc("2026-03-29")), "2026-03-29T00:00:00");
  EXPECT_EQ(shown(utc("2026-03-29 14:30")), "2026-03-29T14:30:00");
  EXPECT_EQ(parse_iso_time("2026-03-29T14:30:15.25").fraction, milliseconds(250));
  EXPECT_EQ(parse_iso_time("2026-03-29T14:30:15.123456789").fraction, milliseconds(123));
  EXPECT_EQ(parse_iso_time("2026-03-29T14:30").offset, std::nullopt);
  EXPECT_EQ(parse_iso_time("2026-03-29T14:30Z").offset, seconds(0));
  EXPECT_EQ(parse_iso_time("2026-03-29T14:30+05:30").offset, hours(5) + minutes(30));
  EXPECT_EQ(parse_iso_time("2026-03-29T14:30-0330").offset, -(hours(3) + minutes(30)));
  EXPECT_EQ(parse_iso_time("2026-03-29T14:30+02").offset, hours(2));
  EXPECT_EQ(shown(utc("2024-02-29")), "2024-02-29T00:00:00");
}

TEST(IsoTime, SaysWhatIsWrongAndWhere) {
  const auto refusal_of = [](std::string_view text) -> std::string {
    try {
      parse_iso_time(text);
      return "accepted";
    } catch (const mcp::ToolError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal_of("29.03.2026"),
            "\"29.03.2026\" is no time such as 2026-03-29T14:30 or 2026-03-29T14:30:00+02:00: expected a year of four "
            "digits at position 1");
  EXPECT_THAT(refusal_of("2026-02-29"), HasSubstr("expected a day that the month has at position 9"));
  EXPECT_THAT(refusal_of("2026-03-29T25:00"), HasSubstr("expected an hour from 00 to 23 at position 12"));
  EXPECT_THAT(refusal_of("2026-03-29T23:59:60"), HasSubstr("seconds from 00 to 59 at position 18"));
  EXPECT_THAT(refusal_of("2026-03-29T14:30:00+25:00"), HasSubstr("offset"));
  EXPECT_THAT(refusal_of("2026-03-29T14:30.5"),
              HasSubstr("expected seconds, which alone may have a fraction, at position 17"));
  EXPECT_THAT(refusal_of("2026-03-29T14:30,5Z"), HasSubstr("fraction"));
  EXPECT_THAT(refusal_of("2026-03-29T14:30 CET"), HasSubstr("expected the end at position 17"));
  for (const char* text : {"", "2026", "0000-01-01", "2026-13-01", "2026-03-29T", "2026-03-29T14", "2026-03-29T14:30.",
                           "2026-03-29T14:30+", "2026-03-29T14:30+2", "20260329T1430", "-2026-03-29", "now"}) {
    EXPECT_NE(refusal_of(text), "accepted") << text;
  }
}

TEST(IsoTime, WritesOffsets) {
  EXPECT_EQ(offset_text(seconds(0)), "+00:00");
  EXPECT_EQ(offset_text(hours(14)), "+14:00");
  EXPECT_EQ(offset_text(-minutes(210)), "-03:30");
  EXPECT_EQ(offset_text(-seconds(1521)), "-00:25:21");
}

TEST(IsoTime, DoesNotWriteYearsOfMoreThanFourDigits) {
  EXPECT_EQ(shown(utc("9999-12-31T23:59:59")), "9999-12-31T23:59:59");
  EXPECT_THROW(shown(utc("9999-12-31T23:59:59") + seconds(1)), mcp::ToolError);
  EXPECT_THROW(shown(utc("0001-01-01") - seconds(1)), mcp::ToolError);
}

TEST(ZoneNames, AreNeverPaths) {
  EXPECT_TRUE(is_zone_name("America/Argentina/Buenos_Aires"));
  EXPECT_TRUE(is_zone_name("Etc/GMT+5"));
  for (const char* text : {"", "/etc/passwd", "../passwd", "Europe/../../etc/passwd", "Europe//Berlin", "Europe/",
                           "Europe/Berlin\n", "zone.tab", ".", "Europe/Zürich"}) {
    EXPECT_FALSE(is_zone_name(text)) << text;
  }
  EXPECT_FALSE(is_zone_name(std::string(65, 'a')));
}

TEST(ZoneNames, SimilarOnesAreFound) {
  const std::vector<std::string> names{"America/New_York", "Asia/Tokyo", "Europe/Berlin", "Europe/Dublin"};
  EXPECT_THAT(similar_names("berlin", names), ElementsAre("Europe/Berlin"));
  EXPECT_THAT(similar_names("Europe/Brelin", names), ElementsAre("Europe/Berlin"));
  EXPECT_THAT(similar_names("US/New York", names), ElementsAre("America/New_York"));
  EXPECT_THAT(similar_names("Tokio", names), ElementsAre("Asia/Tokyo"));
  EXPECT_THAT(similar_names("Atlantis", names), IsEmpty());
  EXPECT_THAT(similar_names("", names), IsEmpty());
  EXPECT_THAT(similar_names(std::string(100000, 'x'), names), IsEmpty());
}

}  // namespace
}  // namespace plugins::clock
