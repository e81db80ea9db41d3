#include "sources/drainer.hpp"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_plugin.hpp"
#include "support/recording_log.hpp"
#include "support/silent_call.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class DrainerTest : public ::testing::Test {
 protected:
  DrainerTest() {
    plugin_->on_fail_all = [this] { return std::exchange(plugin_->calls, {}).size(); };
  }

  void begin_call() const { plugin_->invoke(std::make_shared<test::SilentCall>()); }

  static constexpr Drainer::Options options{.drain_time = 10s, .heed_time = 2s, .farewell = 0ms};

  test::RecordingLog log_{Log::Level::info};
  Drainer drainer_{options, log_};
  std::shared_ptr<test::FakePlugin> plugin_ = std::make_shared<test::FakePlugin>();
  Drainer::Time now_{1h};
};

TEST_F(DrainerTest, GivesCallsTimeThenCancelsThemThenAnswersInTheirPluginsStead) {
  begin_call();
  const auto call = plugin_->calls.front();
  drainer_.drain(plugin_, now_);
  EXPECT_EQ(drainer_.attend(now_), now_ + 10s);
  EXPECT_EQ(call->cancelled(), CancelReason::none);
  EXPECT_EQ(drainer_.attend(now_ + 10s), now_ + 12s);
  EXPECT_EQ(call->cancelled(), CancelReason::reload);
  EXPECT_EQ(plugin_->calls.size(), 1U);
  EXPECT_EQ(drainer_.attend(now_ + 12s), std::nullopt);
  EXPECT_TRUE(plugin_->calls.empty());
  EXPECT_THAT(log_.lines(),
              ElementsAre("calls cancelled file=/components/tools/fake.so version=1.0.0 calls=1 reason=they did not "
                          "finish in time after the plugin was replaced or removed",
                          "calls cut off file=/components/tools/fake.so version=1.0.0 calls=1 reason=they did not end "
                          "when they were cancelled"));
}

TEST_F(DrainerTest, ForgetsAVersionThatHasGone) {
  drainer_.drain(plugin_, now_);
  EXPECT_EQ(drainer_.draining().size(), 1U);
  plugin_.reset();
  EXPECT_EQ(drainer_.attend(now_), std::nullopt);
  EXPECT_TRUE(drainer_.draining().empty());
  EXPECT_TRUE(log_.lines().empty());
  plugin_ = std::make_shared<test::FakePlugin>();
}

TEST_F(DrainerTest, EndsAtOnceWhereNothingIsUnderWay) {
  EXPECT_TRUE(drainer_.end_calls([this] { return Drainer::Plugins{plugin_}; }, 1h, [] { return true; }));
  EXPECT_TRUE(log_.lines().empty());
}

// Of those that are served and of those that drain, until something else is quiet, too.
TEST_F(DrainerTest, WaitsForTheLastCallAndForQuiet) {
  std::atomic<std::size_t> calls{1};
  std::atomic<bool> quiet{false};
  class Counted final : public Plugin {
   public:
    explicit Counted(const std::atomic<std::size_t>& calls) : calls_(calls) {}
    const PluginIdentity& identity() const override { return identity_; }
    Result<std::string> describe() override { return std::string("{}"); }
    Result<> start() override { return {}; }
    void invoke(std::shared_ptr<Call>) override {}
    void cancel_all(CancelReason) override {}
    std::size_t fail_all(std::string_view) override { return 0; }
    std::size_t calls_in_flight() const override { return calls_; }
    PluginStatus status() const override { return {}; }
    void call_failed(std::string) override {}
    void answered_wrongly(std::string) override {}
    bool stop(std::chrono::milliseconds) override { return true; }

   private:
    const PluginIdentity identity_{};
    const std::atomic<std::size_t>& calls_;
  };
  const auto old = std::make_shared<Counted>(calls);
  drainer_.drain(old, now_);
  std::thread other([&] {
    calls = 0;
    drainer_.look_again();
    quiet = true;
    drainer_.look_again();
  });
  EXPECT_TRUE(drainer_.end_calls([] { return Drainer::Plugins{}; }, 1h, [&] { return quiet.load(); }));
  other.join();
  EXPECT_EQ(calls, 0U);
}

TEST_F(DrainerTest, CancelsAndCutsOffAfterTheGrace) {
  constexpr Drainer::Options at_once{.heed_time = 0ms, .farewell = 0ms};
  Drainer drainer(at_once, log_);
  begin_call();
  const auto call = plugin_->calls.front();
  EXPECT_TRUE(drainer.end_calls([this] { return Drainer::Plugins{plugin_}; }, 0ms, [] { return true; }))
      << "no code of it runs in this process";
  EXPECT_EQ(call->cancelled(), CancelReason::shutdown);
  EXPECT_TRUE(plugin_->calls.empty());
  EXPECT_EQ(log_.count("calls cut off"), 1U);
}

// Of a connection that had sent no request yet.
TEST_F(DrainerTest, CancelsACallThatBeginsAfterTheGrace) {
  constexpr Drainer::Options soon{.heed_time = 10s, .farewell = 0ms};
  Drainer drainer(soon, log_);
  CancelReason told = CancelReason::none;
  plugin_->on_invoke = [&](Call& call) {
    call.on_cancel([&](CancelReason reason) {
      told = reason;
      plugin_->calls.clear();
    });
  };
  int looks = 0;  // two of them in the grace
  const auto quiet = [&] {
    if (++looks == 3) begin_call();
    return looks > 3;
  };
  EXPECT_TRUE(drainer.end_calls([this] { return Drainer::Plugins{plugin_}; }, 0ms, quiet));
  EXPECT_EQ(told, CancelReason::shutdown);
  EXPECT_THAT(log_.lines(), ElementsAre("calls cancelled reason=they did not finish in time calls=1"));
}

TEST_F(DrainerTest, SaysNothingOfCallsWhereAConnectionAloneIsLeft) {
  constexpr Drainer::Options at_once{.heed_time = 0ms, .farewell = 0ms};
  Drainer drainer(at_once, log_);
  plugin_->on_fail_all = nullptr;
  EXPECT_TRUE(drainer.end_calls([this] { return Drainer::Plugins{plugin_}; }, 0ms, [] { return false; }));
  EXPECT_TRUE(log_.lines().empty());
}

}  // namespace
}  // namespace mcph
