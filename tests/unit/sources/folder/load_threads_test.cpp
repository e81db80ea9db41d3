#include "sources/folder/load_threads.hpp"

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/no_threads.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

// So long that only a thread that waits for ever is meant.
constexpr auto time_to_load = 20s;

TEST(LoadThreads, RunTasksBesideEachOther) {
  LoadThreads threads({.at_once = 2, .long_time = 1h});
  std::promise<void> second_runs;
  std::promise<std::future_status> first_saw;
  threads.run([&] { first_saw.set_value(second_runs.get_future().wait_for(time_to_load)); });
  threads.run([&] { second_runs.set_value(); });
  // Before it stops them: what waits then is dropped.
  EXPECT_EQ(first_saw.get_future().get(), std::future_status::ready);
  EXPECT_TRUE(threads.stop(time_to_load));
}

TEST(LoadThreads, RunNoMoreThanSoManyAtOnce) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::atomic<int> done{0};
  {
    LoadThreads threads({.at_once = 2, .long_time = 1h});
    std::promise<void> all;
    for (int i = 0; i < 20; ++i) {
      threads.run([&] {
        const int now = ++running;
        for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {
        }
        std::this_thread::yield();
        --running;
        if (++done == 20) all.set_value();
      });
    }
    EXPECT_EQ(all.get_future().wait_for(time_to_load), std::future_status::ready);
  }
  EXPECT_LE(most, 2);
}

TEST(LoadThreads, UseAThreadForWhatWaitsWhenItsTaskIsOver) {
  LoadThreads threads({.at_once = 1, .long_time = 1h});
  std::promise<void> all_wait;
  std::promise<std::thread::id> thread_of[2];
  threads.run([&] {
    all_wait.get_future().wait();
    thread_of[0].set_value(std::this_thread::get_id());
  });
  threads.run([&] { thread_of[1].set_value(std::this_thread::get_id()); });
  all_wait.set_value();
  EXPECT_EQ(thread_of[0].get_future().get(), thread_of[1].get_future().get());
  EXPECT_TRUE(threads.stop(time_to_load));
}

TEST(LoadThreads, KeepNobodyWaitingForOneThatHangs) {
  LoadThreads threads({.at_once = 1, .long_time = 1ms});
  std::promise<void> end;
  const auto ended = end.get_future().share();
  std::promise<void> other;
  threads.run([ended] { ended.wait(); });
  threads.run([&] { other.set_value(); });
  EXPECT_EQ(other.get_future().wait_for(time_to_load), std::future_status::ready);
  EXPECT_FALSE(threads.stop(1ms)) << "one hangs";
  end.set_value();
  EXPECT_TRUE(threads.stop(time_to_load));
}

TEST(LoadThreads, WaitForATaskThatRunsWhereNoThreadIsLeft) {
  LoadThreads threads({.at_once = 1, .long_time = 1h});
  std::promise<void> end;
  std::promise<void> runs;
  {
    const test::NoThreads none;
    threads.run([&] {
      runs.set_value();
      end.get_future().wait();
    });
    runs.get_future().wait();
  }
  EXPECT_FALSE(threads.stop(1ms)) << "it runs";
  end.set_value();
  EXPECT_TRUE(threads.stop(time_to_load));
}

TEST(LoadThreads, DropWhatWaitsWhenTheyStop) {
  std::atomic<bool> ran{false};
  LoadThreads threads({.at_once = 1, .long_time = 1h});
  std::promise<void> end;
  std::promise<void> runs;
  threads.run([&] {
    runs.set_value();
    end.get_future().wait();
  });
  runs.get_future().wait();
  threads.run([&] { ran = true; });
  EXPECT_FALSE(threads.stop(0ms));
  end.set_value();
  EXPECT_TRUE(threads.stop(time_to_load));
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace mcph
