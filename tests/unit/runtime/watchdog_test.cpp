#include "runtime/watchdog.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "support/eventually.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

bool looks_more_often_than(int looks, const std::atomic<int>& looked) {
  return test::eventually([&] { return looked > looks; });
}

// It tells of each look, so that a test can wait for the next.
struct Looks {
  std::atomic<int> count{0};
  std::atomic<bool> busy{false};
  Watchdog watchdog{[this] {
    ++count;
    return busy.load();
  }};
};

TEST(Watchdog, EndsWithoutHavingSeenATask) {
  const Looks looks;
  EXPECT_EQ(looks.count, 0);
}

TEST(Watchdog, GoesOnLookingWhileSomethingRuns) {
  Looks looks;
  looks.busy = true;
  looks.watchdog.task_began();
  // More than it looks when nothing goes on.
  for (int count = 0; count < 100; ++count)
    ASSERT_TRUE(looks_more_often_than(count, looks.count));
}

TEST(Watchdog, FallsAsleepAndWakesForTheNextTask) {
  Looks looks;
  for (int burst = 0; burst < 3; ++burst) {
    const int before = looks.count;
    looks.watchdog.task_began();
    ASSERT_TRUE(looks_more_often_than(before, looks.count));
    // Until there is no look for much longer than a tick.
    int count = -1;
    EXPECT_TRUE(test::eventually([&] {
      const int known = std::exchange(count, looks.count);
      std::this_thread::sleep_for(50ms);
      return known == looks.count;
    }));
  }
}

}  // namespace
}  // namespace mcph
