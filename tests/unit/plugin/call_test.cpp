#include "plugin/call.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "support/silent_call.hpp"

namespace mcph {
namespace {

class CallTest : public ::testing::Test {
 protected:
  std::function<void(CancelReason)> recorder() {
    return [this](CancelReason reason) { heard_.push_back(reason); };
  }

  test::SilentCall call_;
  std::vector<CancelReason> heard_;
};

TEST_F(CallTest, KnowsWhatIsAskedAndIsNotCancelledAtFirst) {
  EXPECT_EQ(call_.method(), PluginMethod::tools_call);
  EXPECT_EQ(call_.params(), "{}");
  EXPECT_EQ(call_.cancelled(), CancelReason::none);
}

TEST_F(CallTest, TellsTheListenerOfACancellation) {
  call_.on_cancel(recorder());
  EXPECT_TRUE(heard_.empty());
  call_.cancel(CancelReason::deadline);
  EXPECT_EQ(heard_, std::vector{CancelReason::deadline});
  EXPECT_EQ(call_.cancelled(), CancelReason::deadline);
}

TEST_F(CallTest, KeepsTheFirstReason) {
  call_.on_cancel(recorder());
  call_.cancel(CancelReason::client);
  call_.cancel(CancelReason::shutdown);
  EXPECT_EQ(call_.cancelled(), CancelReason::client);
  EXPECT_EQ(heard_, std::vector{CancelReason::client});
}

TEST_F(CallTest, TellsAListenerThatComesTooLateAtOnce) {
  call_.cancel(CancelReason::reload);
  call_.on_cancel(recorder());
  EXPECT_EQ(heard_, std::vector{CancelReason::reload});
}

TEST_F(CallTest, TellsNobodyAnyMoreWhenTheListenerIsTakenAway) {
  call_.on_cancel(recorder());
  call_.on_cancel({});
  call_.cancel(CancelReason::client);
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(call_.cancelled(), CancelReason::client);
}

TEST_F(CallTest, LetsAListenerAskAndLeaveWhileItIsTold) {
  CancelReason asked = CancelReason::none;
  call_.on_cancel([&](CancelReason) {
    asked = call_.cancelled();
    call_.on_cancel({});
  });
  call_.cancel(CancelReason::client);
  EXPECT_EQ(asked, CancelReason::client);
}

}  // namespace
}  // namespace mcph
