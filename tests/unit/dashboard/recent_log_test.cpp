#include "dashboard/recent_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_log.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

class RecentLogTest : public ::testing::Test {
 protected:
  test::RecordingLog log_{Log::Level::info};
  RecentLog recent_{log_};
};

TEST_F(RecentLogTest, RemembersWhatTheLogWrites) {
  recent_.debug("call", {{"plugin", "sums"}});
  recent_.warning("plugin says", {{"plugin", "sums"}, {"text", "a \"word\""}, {"ms", 2}});
  EXPECT_THAT(log_.lines(), SizeIs(1));
  EXPECT_FALSE(recent_.writes(Log::Level::debug));
  EXPECT_THAT(recent_.since(0, 10).lines,
              ElementsAre(MatchesRegex("\\{\"time\":\"[^\"]+\",\"level\":\"warning\",\"event\":\"plugin says\","
                                       "\"fields\":\\{\"plugin\":\"sums\",\"text\":\"a ..word..\",\"ms\":2\\}\\}")));
}

TEST_F(RecentLogTest, TellsTheLastLinesAndHowManyItLeavesOut) {
  for (int i = 0; i < 5; ++i)
    recent_.info("line", {{"number", i}});
  const auto news = recent_.since(1, 2);
  EXPECT_THAT(news.lines, ElementsAre(HasSubstr("\"number\":3"), HasSubstr("\"number\":4")));
  EXPECT_EQ(news.last, 5U);
  EXPECT_EQ(news.left_out, 2U);
  EXPECT_THAT(recent_.since(5, 2).lines, IsEmpty());
}

TEST_F(RecentLogTest, KeepsItsBounds) {
  for (std::size_t i = 0; i < RecentLog::max_lines + 10; ++i)
    recent_.info("long", {{"text", std::string(100'000, 'x')}});
  std::size_t bytes = 0;
  for (const auto& line : recent_.since(0, RecentLog::max_lines).lines)
    bytes += line.size();
  EXPECT_LE(bytes, RecentLog::max_bytes);
}

TEST_F(RecentLogTest, KnowsWhatBecameOfAFile) {
  recent_.info("plugin loaded", {{"file", "/a.so"}, {"plugin", "a"}, {"version", "1"}});
  recent_.info("plugin replaced", {{"file", "/a.so"}, {"plugin", "a"}, {"version", "2"}});
  recent_.info("plugin loaded", {{"file", "/b.so"}, {"plugin", "b"}});
  EXPECT_THAT(recent_.history_of("/a.so"), ElementsAre(HasSubstr("plugin replaced"), HasSubstr("plugin loaded")));
  EXPECT_THAT(recent_.history_of("/c.so"), IsEmpty());
}

TEST_F(RecentLogTest, KnowsTheLastCrashOfAPlugin) {
  for (const auto* frame : {"first", "second"}) {
    recent_.error("plugin crashed", {{"file", "/a.so"}, {"plugin", "a"}});
    recent_.error("plugin backtrace", {{"plugin", "a"}, {"text", frame}});
  }
  EXPECT_THAT(recent_.backtrace_of("a"), ElementsAre("second"));
  EXPECT_THAT(recent_.backtrace_of("b"), IsEmpty());
}

}  // namespace
}  // namespace mcph
