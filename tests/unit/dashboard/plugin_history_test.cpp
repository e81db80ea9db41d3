#include "dashboard/plugin_history.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_log.hpp"
#include "telemetry/watched_log.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

class PluginHistoryTest : public ::testing::Test {
 protected:
  test::RecordingLog log_{Log::Level::info};
  PluginHistory history_{log_};
};

TEST_F(PluginHistoryTest, PassesEverythingOn) {
  history_.debug("call", {{"plugin", "sums"}});
  history_.info("plugin says", {{"plugin", "sums"}, {"text", "hello"}});
  EXPECT_THAT(log_.lines(), ElementsAre("plugin says plugin=sums text=hello"));
  EXPECT_FALSE(history_.writes(Log::Level::debug));
}

TEST_F(PluginHistoryTest, KnowsWhatBecameOfAFile) {
  history_.info("plugin loaded", {{"file", "/a.so"}, {"plugin", "a"}, {"version", "1"}});
  history_.info("plugin replaced", {{"file", "/a.so"}, {"plugin", "a"}, {"version", "2"}});
  history_.info("plugin loaded", {{"file", "/b.so"}, {"plugin", "b"}});
  EXPECT_THAT(history_.events_of("/a.so"),
              ElementsAre(MatchesRegex(R"(\{"time":"[^"]+","level":"info","event":"plugin replaced","file":"/a.so",)"
                                       R"("plugin":"a","version":"2"\})"),
                          HasSubstr("plugin loaded")));
  EXPECT_THAT(history_.events_of("/c.so"), IsEmpty());
}

TEST_F(PluginHistoryTest, KnowsAlsoWhatTheLogDoesNotWrite) {
  log_.set_level(Log::Level::off);
  WatchedLog watched(history_);
  watched.info("plugin loaded", {{"file", "/a.so"}, {"plugin", "a"}});
  watched.error("plugin crashed", {{"file", "/a.so"}, {"plugin", "a"}});
  watched.error("plugin backtrace", {{"plugin", "a"}, {"text", "in a call"}});
  EXPECT_THAT(history_.events_of("/a.so"), ElementsAre(HasSubstr("plugin crashed"), HasSubstr("plugin loaded")));
  EXPECT_THAT(history_.backtrace_of("a"), ElementsAre("in a call"));
  EXPECT_THAT(log_.lines(), IsEmpty());
}

TEST_F(PluginHistoryTest, KnowsAFileBelowARelativeFolderByItsWholePath) {
  history_.info("plugin loaded", {{"file", "components/tools/a.so"}, {"plugin", "a"}});
  EXPECT_THAT(history_.events_of(std::filesystem::absolute("components/tools/a.so").string()),
              ElementsAre(HasSubstr("plugin loaded")));
}

TEST_F(PluginHistoryTest, KeepsTheLastEventsOfAFile) {
  for (std::size_t i = 0; i < PluginHistory::max_events + 5; ++i)
    history_.info("plugin replaced", {{"file", "/a.so"}, {"version", i}});
  const auto events = history_.events_of("/a.so");
  EXPECT_THAT(events, SizeIs(PluginHistory::max_events));
  EXPECT_THAT(events.back(), HasSubstr(R"("version":5)"));
}

TEST_F(PluginHistoryTest, KnowsTheLastCrashOfAPlugin) {
  for (const auto* frame : {"first", "second"}) {
    history_.error("plugin crashed", {{"file", "/a.so"}, {"plugin", "a"}});
    history_.error("plugin backtrace", {{"plugin", "a"}, {"text", frame}});
  }
  EXPECT_THAT(history_.backtrace_of("a"), ElementsAre("second"));
  EXPECT_THAT(history_.backtrace_of("b"), IsEmpty());
}

TEST_F(PluginHistoryTest, KnowsABadStopAsTheLastCrash) {
  history_.error("plugin crashed", {{"file", "/a.so"}, {"plugin", "a"}});
  history_.error("plugin backtrace", {{"plugin", "a"}, {"text", "in a call"}});
  history_.error("plugin did not stop well", {{"file", "/a.so"}, {"plugin", "a"}});
  history_.error("plugin backtrace", {{"plugin", "a"}, {"text", "in its stop"}});
  EXPECT_THAT(history_.backtrace_of("a"), ElementsAre("in its stop"));
  EXPECT_THAT(history_.events_of("/a.so").front(), HasSubstr("plugin did not stop well"));
}

TEST_F(PluginHistoryTest, ForgetsThoseOfWhomNothingHasBeenSaidForLongest) {
  const auto load = [this](std::size_t number) {
    history_.info("plugin loaded", {{"file", "/" + std::to_string(number) + ".so"}});
  };
  for (std::size_t i = 0; i < PluginHistory::max_plugins; ++i)
    load(i);
  load(0);
  load(PluginHistory::max_plugins);
  EXPECT_THAT(history_.events_of("/0.so"), SizeIs(2));
  EXPECT_THAT(history_.events_of("/1.so"), IsEmpty());
  EXPECT_THAT(history_.events_of("/2.so"), SizeIs(1));
}

}  // namespace
}  // namespace mcph
