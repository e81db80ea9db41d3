#include "plugin/call_deadlines.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/eventually.hpp"
#include "support/silent_call.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using test::eventually;

class CallDeadlinesTest : public ::testing::Test {
 protected:
  std::shared_ptr<Call> begin(std::optional<std::chrono::milliseconds> time_limit = {}) {
    auto call = std::make_shared<test::SilentCall>();
    call->limit_time(time_limit);
    calls_.add(call);
    deadlines_->call_began(*call);
    return call;
  }
  void watch(CallDeadlines::Times times) {
    deadlines_.emplace(
        timers_, calls_, times,
        [this](const Call&) {
          ++late_;
          return std::string("it took too long");
        },
        [this](std::uint64_t id, const Call&) {
          if (calls_.take(id) != nullptr) ++overdue_;
        },
        [this] {
          ++looks_for_debugger_;
          return debugged_.load();
        });
  }

  Timers timers_;
  CallsInFlight calls_;
  std::optional<CallDeadlines> deadlines_;
  std::atomic<int> late_{0};
  std::atomic<int> overdue_{0};
  std::atomic<bool> debugged_{false};
  std::atomic<int> looks_for_debugger_{0};
};

TEST_F(CallDeadlinesTest, TellEachCallItsOwnInUnixTime) {
  watch({.call = 1h});
  const auto before = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto deadline = begin()->deadline();
  ASSERT_TRUE(deadline);
  EXPECT_GE(*deadline, before.time_since_epoch() + 1h);
  EXPECT_LE(*deadline, std::chrono::system_clock::now().time_since_epoch() + 1h);
}

TEST_F(CallDeadlinesTest, TellNoneToACallThatMayTakeAnyTime) {
  watch({.call = 0ms});
  EXPECT_FALSE(begin()->deadline());
}

TEST_F(CallDeadlinesTest, CancelACallThatTakesTooLongAndThenTellOfIt) {
  watch({.call = 20ms, .grace = 20ms});
  const auto begun = std::chrono::steady_clock::now();
  const auto call = begin();
  EXPECT_TRUE(eventually([&] { return call->cancelled() == CancelReason::deadline; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 20ms);
  EXPECT_EQ(call->cancelled_because(), "it took too long");
  EXPECT_GE(late_, 1);
  EXPECT_TRUE(eventually([&] { return overdue_ == 1; }));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 40ms);
}

TEST_F(CallDeadlinesTest, LeaveACallAloneThatHeedsItsCancellation) {
  watch({.call = 10ms, .grace = 10ms});
  const auto call = std::make_shared<test::SilentCall>();
  const auto id = calls_.add(call);
  call->on_cancel([this, id](CancelReason) { calls_.take(id); });
  deadlines_->call_began(*call);
  EXPECT_TRUE(eventually([&] { return calls_.size() == 0; }));
  EXPECT_EQ(overdue_, 0);
  const auto other = begin();
  EXPECT_TRUE(eventually([&] { return overdue_ == 1; })) << "and go on with the next";
}

TEST_F(CallDeadlinesTest, WatchEveryOfManyCalls) {
  watch({.call = 30ms, .grace = 10ms});
  constexpr int each = 200;
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < each; ++i) {
        auto call = std::make_shared<test::SilentCall>();
        const auto id = calls_.add(call);
        deadlines_->call_began(*call);
        if (i % 2 == 0 && calls_.take(id) != nullptr) ++ended;
      }
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_TRUE(eventually([&] { return overdue_ + ended == 4 * each; }));
}

TEST_F(CallDeadlinesTest, CancelACallAtItsOwnLimitWhereThatComesFirst) {
  watch({.call = 1h, .grace = 1h});
  const auto patient = begin();
  const auto call = begin(20ms);
  const auto other = begin(2h);
  EXPECT_LE(*call->deadline(), std::chrono::system_clock::now().time_since_epoch() + 20ms);
  EXPECT_LE(*other->deadline(), std::chrono::system_clock::now().time_since_epoch() + 1h);
  EXPECT_TRUE(eventually([&] { return call->cancelled() == CancelReason::deadline; }));
  EXPECT_EQ(patient->cancelled(), CancelReason::none);
  EXPECT_EQ(other->cancelled(), CancelReason::none);
}

TEST_F(CallDeadlinesTest, CancelACallAtItsOwnLimitWhereThePluginHasNone) {
  watch({.call = 0ms, .grace = 10ms});
  const auto patient = begin();
  const auto call = begin(10ms);
  EXPECT_TRUE(eventually([&] { return overdue_ == 1; }));
  EXPECT_EQ(call->cancelled(), CancelReason::deadline);
  EXPECT_FALSE(patient->deadline());
  EXPECT_EQ(patient->cancelled(), CancelReason::none);
}

TEST_F(CallDeadlinesTest, DoNotCountWhileThePluginIsDebugged) {
  watch({.call = 20ms, .grace = 20ms});
  debugged_ = true;
  const auto call = begin();
  EXPECT_TRUE(eventually([&] { return looks_for_debugger_ > 1; }));
  EXPECT_EQ(call->cancelled(), CancelReason::none);
  debugged_ = false;
  EXPECT_TRUE(eventually([&] { return call->cancelled() == CancelReason::deadline; }));
  EXPECT_TRUE(eventually([&] { return overdue_ == 1; }));
}

TEST_F(CallDeadlinesTest, AreForgottenWithTheirPlugin) {
  watch({.call = 1ms, .grace = 1ms});
  const auto call = begin();
  deadlines_.reset();
  const std::pair told(late_.load(), overdue_.load());
  std::atomic<bool> later{false};
  timers_.after(200ms, [&] { later = true; });
  EXPECT_TRUE(eventually([&] { return later.load(); }));
  EXPECT_EQ(std::pair(late_.load(), overdue_.load()), told);
}

}  // namespace
}  // namespace mcph
