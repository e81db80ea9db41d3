#include "telemetry/watched_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class WatchedLogTest : public ::testing::Test {
 protected:
  std::shared_ptr<WatchedLog::Watcher> watch() {
    return watched_.watch([](std::string_view event, Log::Fields) { return event == "call"; });
  }

  test::RecordingLog log_{Log::Level::info};
  WatchedLog watched_{log_};
};

TEST_F(WatchedLogTest, WritesWhatTheLogWrites) {
  EXPECT_FALSE(watched_.writes(Log::Level::trace));
  const auto watcher = watch();
  EXPECT_TRUE(watched_.writes(Log::Level::trace));
  watched_.trace("call", {{"plugin", "sums"}});
  watched_.info("serving");
  EXPECT_THAT(log_.lines(), ElementsAre("serving"));
}

TEST_F(WatchedLogTest, GivesEachWatcherWhatItWants) {
  const auto one = watch();
  const auto other = watch();
  watched_.trace("call", {{"plugin", "sums"}, {"ms", 2}});
  watched_.info("serving");
  for (const auto& watcher : {one, other}) {
    EXPECT_THAT(watcher->next(0ms).value_or(""),
                MatchesRegex(R"(\{"time":"[^"]+","level":"trace","event":"call","plugin":"sums","ms":2\})"));
    EXPECT_EQ(watcher->next(0ms), std::nullopt);
  }
}

TEST_F(WatchedLogTest, IsWatchedNoLongerThanSomebodyHasTheWatcher) {
  watch().reset();
  watched_.trace("call");
  EXPECT_FALSE(watched_.writes(Log::Level::trace));
}

TEST_F(WatchedLogTest, CountsWhatAWatcherHasNoRoomFor) {
  const auto watcher = watch();
  for (std::size_t i = 0; i < WatchedLog::max_lines + 5; ++i)
    watched_.trace("call");
  for (std::size_t i = 0; i < WatchedLog::max_lines; ++i)
    ASSERT_TRUE(watcher->next(0ms).has_value());
  watched_.trace("call");  // before the watcher has heard that it missed some
  EXPECT_EQ(watcher->next(0ms), R"({"event":"missed","lines":6})");
  watched_.trace("call");
  EXPECT_NE(watcher->next(0ms).value_or("").find("call"), std::string::npos);
}

TEST_F(WatchedLogTest, IsWatchedFromALevelOn) {
  const auto any = [](std::string_view, Log::Fields) { return true; };
  const auto watcher = watched_.watch(any, Log::Level::debug);
  EXPECT_FALSE(watched_.writes(Log::Level::trace));
  EXPECT_TRUE(watched_.writes(Log::Level::debug));
  const auto of_warnings = watched_.watch(any, Log::Level::warning);
  watched_.trace("call");
  watched_.debug("looked");
  watched_.warning("refused");
  EXPECT_THAT(watcher->next(0ms).value_or(""), HasSubstr("looked"));
  EXPECT_THAT(watcher->next(0ms).value_or(""), HasSubstr("refused"));
  EXPECT_THAT(of_warnings->next(0ms).value_or(""), HasSubstr("refused"));
  EXPECT_EQ(of_warnings->next(0ms), std::nullopt);
}

TEST_F(WatchedLogTest, KeepsTheLastLinesThatTheLogHasWritten) {
  watched_.info("first");
  watched_.debug("not written");
  std::vector<std::string> kept;
  auto watcher = watched_.watch([](std::string_view, Log::Fields) { return true; }, Log::Level::info, &kept);
  watched_.info("next");
  EXPECT_THAT(kept, ElementsAre(HasSubstr("first")));
  EXPECT_THAT(watcher->next(0ms).value_or(""), HasSubstr("next"));

  watcher.reset();
  for (std::size_t i = 0; i < WatchedLog::max_kept_lines; ++i)
    watched_.info(std::to_string(i));
  watcher = watched_.watch([](std::string_view, Log::Fields) { return true; }, Log::Level::info, &kept);
  EXPECT_EQ(kept.size(), WatchedLog::max_kept_lines);
  EXPECT_THAT(kept.front(), HasSubstr(R"("event":"0")"));
  watched_.info(std::string(WatchedLog::max_kept_bytes - 1000, 'x'));
  watched_.watch([](std::string_view, Log::Fields) { return true; }, Log::Level::info, &kept);
  EXPECT_LT(kept.size(), 20U);
}

TEST_F(WatchedLogTest, TellsTheLastLinesAndHowManyItLeavesOut) {
  for (int i = 0; i < 5; ++i)
    watched_.info("line", {{"number", i}});
  const auto news = watched_.since(1, 2);
  EXPECT_THAT(news.lines, ElementsAre(HasSubstr("\"number\":3"), HasSubstr("\"number\":4")));
  EXPECT_EQ(news.last, 5U);
  EXPECT_EQ(news.left_out, 2U);
  EXPECT_TRUE(watched_.since(5, 2).lines.empty());
}

TEST_F(WatchedLogTest, KeepsTheBeginningOfALongField) {
  const auto watcher = watched_.watch([](std::string_view, Log::Fields) { return true; });
  watched_.info("plugin says", {{"text", std::string(WatchedLog::max_kept_bytes, 'x')}, {"plugin", "sums"}});
  EXPECT_GT(watcher->next(0ms).value_or("").size(), WatchedLog::max_kept_bytes);
  const auto kept = watched_.since(0, 1).lines;
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_LT(kept.front().size(), WatchedLog::max_kept_field_bytes + 200);
  EXPECT_THAT(kept.front(), HasSubstr(R"(x","plugin":"sums"})"));
}

TEST_F(WatchedLogTest, HasSoManyWatchersAndNoMore) {
  std::vector<std::shared_ptr<WatchedLog::Watcher>> all;
  for (std::size_t i = 0; i < WatchedLog::max_watchers; ++i)
    all.push_back(watch());
  EXPECT_EQ(watch(), nullptr);
  all.pop_back();
  EXPECT_NE(watch(), nullptr);
}

}  // namespace
}  // namespace mcph
