#include "telemetry/rate_limited_log.hpp"

#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RateLimitedLogTest : public ::testing::Test {
 protected:
  test::RecordingLog log_;
  RateLimitedLog::Clock::time_point now_{};
  std::optional<RateLimitedLog> limited_{std::in_place, log_, 2U, RateLimitedLog::tell_event, [this] { return now_; }};
};

TEST_F(RateLimitedLogTest, TakesSoManyLinesOfEachEventInASecond) {
  for (int i = 0; i < 4; ++i) {
    limited_->info("refused", {{"number", i}});
    limited_->error("closed", {{"number", i}});
  }
  EXPECT_THAT(log_.take(), ElementsAre("refused number=0", "closed number=0", "refused number=1", "closed number=1"));
}

TEST_F(RateLimitedLogTest, TellsWhatWasLeftOutWithTheNextLineAfterTheSecond) {
  for (int i = 0; i < 5; ++i)
    limited_->warning("refused");
  log_.take();
  now_ += 999ms;
  limited_->warning("refused");
  EXPECT_THAT(log_.take(), IsEmpty());
  now_ += 1ms;
  limited_->warning("closed");
  EXPECT_THAT(log_.take(), ElementsAre("closed"));
  limited_->warning("refused");
  EXPECT_THAT(log_.levels(), ElementsAre(Log::Level::warning, Log::Level::warning));
  EXPECT_THAT(log_.take(), ElementsAre("lines left out of=refused lines=4", "refused"));
  now_ += 1s;
  limited_->warning("refused");
  EXPECT_THAT(log_.take(), ElementsAre("refused")) << "nothing was left out since";
}

TEST_F(RateLimitedLogTest, TellsItWhenItIsAsked) {
  for (int i = 0; i < 3; ++i)
    limited_->debug("refused");
  log_.take();
  limited_->tell_left_out();
  EXPECT_THAT(log_.take(), IsEmpty()) << "more may be left out in this second";
  now_ += 1s;
  limited_->tell_left_out();
  EXPECT_THAT(log_.levels(), ElementsAre(Log::Level::debug));
  EXPECT_THAT(log_.take(), ElementsAre("lines left out of=refused lines=1"));
  limited_->tell_left_out();
  EXPECT_THAT(log_.take(), IsEmpty());
}

TEST_F(RateLimitedLogTest, TellsItAtTheEnd) {
  for (int i = 0; i < 3; ++i)
    limited_->info("refused");
  log_.take();
  limited_.reset();
  EXPECT_THAT(log_.take(), ElementsAre("lines left out of=refused lines=1"));
}

TEST_F(RateLimitedLogTest, TellsItInTheWordsOfItsOwner) {
  limited_.emplace(
      log_, 1U,
      [](Log& log, const RateLimitedLog::LeftOut& left_out) {
        log.warning("too much", {{"lines", left_out.lines}});
      },
      [this] { return now_; });
  limited_->info("said");
  limited_->info("said");
  now_ += 1s;
  limited_->info("said");
  EXPECT_THAT(log_.take(), ElementsAre("said", "too much lines=1", "said"));
}

TEST_F(RateLimitedLogTest, LosesNoLineOfSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int line = 0; line < 1000; ++line)
        limited_->info("said");
    });
  }
  for (auto& thread : threads)
    thread.join();
  limited_.reset();
  EXPECT_THAT(log_.take(), ElementsAre("said", "said", "lines left out of=said lines=3998"));
}

}  // namespace
}  // namespace mcph
