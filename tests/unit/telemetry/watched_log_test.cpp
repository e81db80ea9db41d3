#include "telemetry/watched_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
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
                MatchesRegex(R"(\{"time":"[^"]+","event":"call","plugin":"sums","ms":2\})"));
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
  EXPECT_EQ(watcher->next(0ms), R"({"event":"missed","lines":5})");
  watched_.trace("call");
  EXPECT_NE(watcher->next(0ms).value_or("").find("call"), std::string::npos);
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
