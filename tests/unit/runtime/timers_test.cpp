#include "runtime/timers.hpp"

#include <future>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "support/eventually.hpp"

namespace mcph {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

// Timers with a first function that waits to be let go, so that a test can set others in peace.
struct HeldTimers {
  HeldTimers() {
    timers.after(milliseconds(0), [this] { let_go.get_future().wait(); });
  }

  std::promise<void> let_go;
  Timers timers;  // last, because their thread uses it
};

TEST(Timers, RunWhatIsDueInTheOrderOfTheirTimes) {
  std::vector<int> order;
  std::promise<void> last;
  HeldTimers held;
  held.timers.after(milliseconds(20), [&] {
    order.push_back(2);
    last.set_value();
  });
  held.timers.after(-hours(1), [&] { order.push_back(1); });
  held.timers.after(hours(1), [&] { order.push_back(3); });
  held.let_go.set_value();
  last.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Timers, DoNotRunWhatWasCancelled) {
  bool ran = false;
  std::promise<void> later;
  HeldTimers held;
  const auto cancelled = held.timers.after(milliseconds(10), [&] { ran = true; });
  held.timers.after(milliseconds(30), [&] { later.set_value(); });
  held.timers.cancel(cancelled);
  held.timers.cancel(cancelled);
  held.let_go.set_value();
  later.get_future().wait();
  EXPECT_FALSE(ran);
}

TEST(Timers, MayBeSetAndCancelledByWhatRuns) {
  std::promise<void> second;
  Timers::Id first;
  HeldTimers held;
  first = held.timers.after(milliseconds(5), [&] {
    held.timers.cancel(first);
    held.timers.after(milliseconds(1), [&] { second.set_value(); });
  });
  held.let_go.set_value();
  EXPECT_EQ(second.get_future().wait_for(minutes(1)), std::future_status::ready);
}

TEST(Timers, LetGoOfWhatIsStillToComeWhenTheyEnd) {
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> trace = owned;
  {
    Timers timers;
    timers.after(hours(1), [owned] {});
    owned.reset();
    EXPECT_FALSE(trace.expired());
  }
  EXPECT_TRUE(trace.expired());
}

}  // namespace
}  // namespace mcph
