#include "runtime/watchdog.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace mcph {
namespace {

using namespace std::chrono_literals;

void wait_for_more_than(int looks, const std::atomic<int>& looked) {
  while (looked <= looks)
    looked.wait(looks);
}

// It tells of each look, so that a test can wait for the next.
struct Looks {
  std::atomic<int> count{0};
  std::atomic<bool> busy{false};
  Watchdog watchdog{[this] {
    ++count;
    count.notify_all();
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
    wait_for_more_than(count, looks.count);
}

TEST(Watchdog, FallsAsleepAndWakesForTheNextTask) {
  Looks looks;
  for (int burst = 0; burst < 3; ++burst) {
    const int before = looks.count;
    looks.watchdog.task_began();
    wait_for_more_than(before, looks.count);
    // Until there is no look for much longer than a tick.
    for (int count = -1; count != looks.count; std::this_thread::sleep_for(50ms))
      count = looks.count;
  }
}

}  // namespace
}  // namespace mcph
