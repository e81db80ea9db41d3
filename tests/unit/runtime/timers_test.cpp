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

TEST(Timers, RunWhatIsDueInTheOrderOfTheirTimes) {
  std::vector<int> order;
  std::promise<void> last;
  Timers timers;
  timers.after(milliseconds(20), [&] {
    order.push_back(2);
    last.set_value();
  });
  timers.after(milliseconds(10), [&] { order.push_back(1); });
  timers.after(hours(1), [&] { order.push_back(3); });
  last.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Timers, DoNotRunWhatWasCancelled) {
  bool ran = false;
  std::promise<void> later;
  Timers timers;
  const auto cancelled = timers.after(milliseconds(10), [&] { ran = true; });
  timers.after(milliseconds(30), [&] { later.set_value(); });
  timers.cancel(cancelled);
  timers.cancel(cancelled);
  later.get_future().wait();
  EXPECT_FALSE(ran);
}

TEST(Timers, MayBeSetAndCancelledByWhatRuns) {
  std::promise<void> second;
  Timers timers;
  Timers::Id first;
  first = timers.after(milliseconds(5), [&] {
    timers.cancel(first);
    timers.after(milliseconds(1), [&] { second.set_value(); });
  });
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
