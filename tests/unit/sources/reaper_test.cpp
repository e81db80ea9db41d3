#include "sources/reaper.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <new>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/no_threads.hpp"
#include "support/standard_error.hpp"
#include "telemetry/stderr_log.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// What became of a plugin, seen from outside it.
struct Fate {
  std::atomic<bool> stopped{false};
  std::atomic<bool> destroyed{false};
  std::atomic<std::thread::id> stopped_on;
};

class MortalPlugin final : public Plugin {
 public:
  MortalPlugin(
      Fate& fate, bool comes_to_rest, std::function<void()> at_stop = [] {})
      : fate_(fate), comes_to_rest_(comes_to_rest), at_stop_(std::move(at_stop)) {
    identity_.file = "/components/tools/mortal.so";
    identity_.version = "1.0.0";
  }
  ~MortalPlugin() override { fate_.destroyed = true; }
  MortalPlugin(const MortalPlugin&) = delete;
  MortalPlugin& operator=(const MortalPlugin&) = delete;

  const PluginIdentity& identity() const override { return identity_; }
  Result<std::string> describe() override { return std::string("{}"); }
  Result<> start() override { return {}; }
  void invoke(std::shared_ptr<Call>) override {}
  void cancel_all(CancelReason) override {}
  std::size_t fail_all(std::string_view) override { return 0; }
  std::size_t calls_in_flight() const override { return 0; }
  PluginStatus status() const override { return {}; }
  void call_failed(std::string) override {}
  void answered_wrongly(std::string) override {}
  bool stop(std::chrono::milliseconds) override {
    at_stop_();
    fate_.stopped_on = std::this_thread::get_id();
    fate_.stopped = true;
    return comes_to_rest_;
  }

 private:
  Fate& fate_;
  const bool comes_to_rest_;
  const std::function<void()> at_stop_;
  PluginIdentity identity_;
};

class ReaperTest : public ::testing::Test {
 protected:
  std::shared_ptr<Plugin> lease(Fate& fate, bool comes_to_rest = true) {
    return reaper_.lease(std::make_unique<MortalPlugin>(fate, comes_to_rest));
  }

  StderrLog log_{Log::Level::error, StderrLog::Format::text};
  Reaper reaper_{1s, log_};
};

TEST_F(ReaperTest, EndsAPluginWhereNoThreadIsLeft) {
  Fate fate;
  auto plugin = lease(fate);
  const test::NoThreads none;
  plugin.reset();
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
  EXPECT_TRUE(fate.stopped);
  EXPECT_TRUE(fate.destroyed);
}

TEST_F(ReaperTest, StopsAPluginWhenItsLastLeaseIsGone) {
  Fate fate;
  auto first = lease(fate);
  auto second = first;
  first.reset();
  EXPECT_FALSE(fate.stopped);
  second.reset();
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
  EXPECT_TRUE(fate.stopped);
  EXPECT_TRUE(fate.destroyed);
}

TEST_F(ReaperTest, StopsAPluginOnAThreadOfItsOwn) {
  Fate fate;
  lease(fate).reset();
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
  EXPECT_NE(fate.stopped_on.load(), std::this_thread::get_id());
}

TEST_F(ReaperTest, IsNotEmptyWhileAPluginIsLeased) {
  EXPECT_TRUE(reaper_.wait_until_empty(0ms));
  Fate fate;
  auto plugin = lease(fate);
  EXPECT_FALSE(reaper_.wait_until_empty(0ms));
  plugin.reset();
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
}

TEST_F(ReaperTest, IsIdleWhilePluginsAreLeasedAndNoneEnds) {
  Fate leased;
  Fate retired;
  auto plugin = lease(leased);
  lease(retired).reset();
  reaper_.wait_until_idle(test::patience);
  EXPECT_TRUE(retired.destroyed);
  EXPECT_FALSE(leased.stopped);
  plugin.reset();
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
}

TEST_F(ReaperTest, LeavesAPluginThatDoesNotComeToRestAndSaysSo) {
  const test::StandardErrorCapture log;
  // Outlives the test, as the plugin does.
  auto& fate = *new Fate;
  auto* const plugin = new MortalPlugin(fate, false);
  static Plugin* reachable = nullptr;  // for the leak check
  reachable = plugin;
  reaper_.lease(std::unique_ptr<Plugin>(plugin)).reset();
  EXPECT_FALSE(reaper_.wait_until_empty(test::patience));
  EXPECT_TRUE(fate.stopped);
  EXPECT_FALSE(fate.destroyed);
  EXPECT_NE(reachable, nullptr);
  EXPECT_THAT(log.text(), HasSubstr("plugin does not stop file=/components/tools/mortal.so version=1.0.0 "
                                    "consequence=\"it stays mapped until the host ends\""));
}

TEST_F(ReaperTest, LetsNoPluginWaitForAnotherToStop) {
  std::promise<void> other_is_stopped;
  Fate slow;
  Fate quick;
  // Stops only when the one retired after it has stopped.
  reaper_.lease(std::make_unique<MortalPlugin>(slow, true, [&] { other_is_stopped.get_future().wait(); })).reset();
  reaper_.lease(std::make_unique<MortalPlugin>(quick, true, [&] { other_is_stopped.set_value(); })).reset();
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
  EXPECT_TRUE(slow.destroyed);
  EXPECT_TRUE(quick.destroyed);
}

TEST_F(ReaperTest, EndsWhatIsRetiredBeforeItGoes) {
  constexpr std::size_t count = 20;
  std::array<Fate, count> fates;
  {
    Reaper reaper(1s, log_);
    for (auto& fate : fates)
      reaper.lease(std::make_unique<MortalPlugin>(fate, true)).reset();
  }
  for (const auto& fate : fates)
    EXPECT_TRUE(fate.destroyed);
}

TEST_F(ReaperTest, StopsAPluginAgainWhereThereWasNoMemoryForIt) {
  Fate fate;
  bool has_memory = false;
  const auto at_stop = [&] {
    if (!std::exchange(has_memory, true)) throw std::bad_alloc();
  };
  reaper_.lease(std::make_unique<MortalPlugin>(fate, true, at_stop)).reset();
  EXPECT_TRUE(reaper_.wait_until_empty(test::patience));
  EXPECT_TRUE(fate.stopped);
  EXPECT_TRUE(fate.destroyed);
}

}  // namespace
}  // namespace mcph
