#include "runtime/event_loops.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <sys/resource.h>
#include <tuple>

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "base/sanitizer.hpp"
#include "support/eventually.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;
using test::eventually;

// Holds tasks until it is opened, at the latest when it goes, and counts those that have come. Declared after the
// threads, so that a test that fails does not wait for them for ever.
class Gate {
 public:
  Gate() = default;
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  std::function<void()> task() const {
    return [state = state_] {
      ++state->arrived;
      state->opened.wait();
    };
  }
  void open() {
    if (!std::exchange(is_open_, true)) state_->open.set_value();
  }
  int arrived() const { return state_->arrived; }

 private:
  struct State {
    std::promise<void> open;
    std::shared_future<void> opened = open.get_future().share();
    std::atomic<int> arrived{0};
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  bool is_open_ = false;
};

// Whether a task is run at all.
bool runs_a_task(EventLoops& threads) {
  const auto done = std::make_shared<std::atomic<bool>>(false);
  threads.run([done] { *done = true; });
  return eventually([&] { return done->load(); });
}

// Whether the I/O of every loop goes on.
bool serves_io(EventLoops& threads, int loops) {
  const auto served = std::make_shared<std::atomic<int>>(0);
  for (int i = 0; i < loops; ++i)
    boost::asio::post(threads.next_context(), [served] { ++*served; });
  return eventually([&] { return served->load() == loops; });
}

TEST(EventLoops, RunATaskOnAnotherThread) {
  EventLoops threads(1, 4);
  std::promise<std::thread::id> ran_on;
  threads.run([&] { ran_on.set_value(std::this_thread::get_id()); });
  EXPECT_NE(ran_on.get_future().get(), std::this_thread::get_id());
}

TEST(EventLoops, RunEveryTask) {
  constexpr int count = 2000;
  std::atomic<int> ran{0};
  EventLoops threads(2, 4);
  for (int i = 0; i < count; ++i)
    threads.run([&] { ++ran; });
  EXPECT_TRUE(eventually([&] { return ran == count; }));
}

TEST(EventLoops, RunATaskThatATaskHandsIn) {
  EventLoops threads(1, 4);
  std::promise<void> done;
  threads.run([&] { threads.run([&] { done.set_value(); }); });
  EXPECT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
}

TEST(EventLoops, GoOnWithOtherTasksWhileOneBlocks) {
  EventLoops threads(1, 4);
  Gate gate;
  threads.run(gate.task());
  EXPECT_TRUE(runs_a_task(threads));
  gate.open();
}

// What wakes it is on its event loop.
class CountedTurn final : public LoopTurn {
 public:
  void take_turn() override { ++turns; }
  std::atomic<int> turns{0};
};

TEST(EventLoops, DoWhatATaskHasFoundToDoNextThoughItStaysInside) {
  EventLoops threads(1, 4);
  Gate gate;
  auto& loop = threads.next_context();
  const auto turn = std::make_shared<CountedTurn>();
  std::atomic<bool> ran{false};
  threads.run([&, blocks = gate.task()] {
    threads.run([&] { ran = true; });
    threads.wake(loop, turn);
    blocks();
    // Its thread has lost the event loop by now.
    threads.wake(loop, turn);
    threads.run([&] { threads.wake(loop, turn); });
  });
  EXPECT_TRUE(eventually([&] { return ran && turn->turns == 1 && gate.arrived() == 1; }));
  gate.open();
  EXPECT_TRUE(eventually([&] { return turn->turns == 3; }));
}

TEST(EventLoops, LookAtTheIoThoughThereIsAlwaysSomethingToDoNext) {
  EventLoops threads(1, 4);
  std::atomic<bool> stop{false};
  std::atomic<bool> stopped{false};
  std::function<void()> again = [&] { stop ? void(stopped = true) : threads.run(again); };
  threads.run(again);
  EXPECT_TRUE(serves_io(threads, 1));
  stop = true;
  EXPECT_TRUE(eventually([&] { return stopped.load(); }));
}

// So that its loop looks for what comes next before it sleeps.
void ask_again_and_again(EventLoops& threads, boost::asio::io_context& context) {
  for (int i = 0; i < 100; ++i) {
    const auto answered = std::make_shared<std::promise<void>>();
    boost::asio::post(context, [&, answered] { threads.run([answered] { answered->set_value(); }); });
    answered->get_future().wait();
  }
}

TEST(EventLoops, AnswerOneClientThatAsksAgainAndAgain) {
  EventLoops threads(2, 4);
  auto& context = threads.next_context();
  ask_again_and_again(threads, context);
  Gate gate;
  boost::asio::post(context, [&] { threads.run(gate.task()); });  // whose loop gets another thread
  ASSERT_TRUE(eventually([&] { return gate.arrived() == 1; }));
  ask_again_and_again(threads, context);
  threads.stop();
  gate.open();
  EXPECT_TRUE(threads.join(test::patience));
}

TEST(EventLoops, GoOnWithTheIoWhileTasksBlock) {
  EventLoops threads(2, 8);
  Gate gate;
  for (int i = 0; i < 4; ++i)
    threads.run(gate.task());
  EXPECT_TRUE(eventually([&] { return gate.arrived() == 4; }));
  EXPECT_TRUE(serves_io(threads, 2));
  gate.open();
}

TEST(EventLoops, GoOnWithTheIoOfEveryLoopWhenAllBlockAtOnce) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    EventLoops threads(2, 8);
    Gate first;
    Gate second;
    // Leaves one thread to spare for two loops that lose their threads in the same moment.
    threads.run(first.task());
    ASSERT_TRUE(eventually([&] { return first.arrived() == 1; }) && serves_io(threads, 2));
    first.open();
    ASSERT_TRUE(runs_a_task(threads));
    threads.run(second.task());
    threads.run(second.task());
    ASSERT_TRUE(eventually([&] { return second.arrived() == 2; }));
    ASSERT_TRUE(serves_io(threads, 2)) << "attempt " << attempt;
  }
}

TEST(EventLoops, LetTasksBeyondTheLimitWaitAndThenRunThem) {
  EventLoops threads(1, 2);
  Gate gate;
  for (int i = 0; i < 6; ++i)
    threads.run(gate.task());
  EXPECT_TRUE(eventually([&] { return gate.arrived() == 2; }));
  EXPECT_TRUE(serves_io(threads, 1));
  EXPECT_EQ(gate.arrived(), 2);
  gate.open();
  EXPECT_TRUE(eventually([&] { return gate.arrived() == 6; }));
}

// On the only loop, begins work of the host's own that takes long, and says whether the loop was kept.
std::future<bool> work_on_the_loop(EventLoops& threads, const std::function<void()>& work) {
  const auto kept = std::make_shared<std::promise<bool>>();
  boost::asio::post(threads.next_context(), [&threads, work, kept] { kept->set_value(threads.run_here(work)); });
  return kept->get_future();
}

TEST(EventLoops, GoOnWithTheIoWhileTheHostsOwnWorkTakesLong) {
  EventLoops threads(1, 4);
  Gate gate;
  auto kept = work_on_the_loop(threads, gate.task());
  ASSERT_TRUE(eventually([&] { return gate.arrived() == 1; }));
  EXPECT_TRUE(serves_io(threads, 1));
  gate.open();
  EXPECT_FALSE(kept.get());
  EXPECT_TRUE(serves_io(threads, 1));
}

TEST(EventLoops, KeepALoopWhoseWorkIsQuick) {
  EventLoops threads(1, 4);
  const auto quick = [&] { return work_on_the_loop(threads, [] {}).get(); };
  // A busy machine may make anything slow, but not always.
  EXPECT_TRUE(eventually(quick));
}

TEST(EventLoops, RunALongTaskOnNoLoop) {
  EventLoops threads(1, 4);
  Gate gate;
  std::promise<std::thread::id> loop;
  std::promise<std::thread::id> ran_on;
  boost::asio::post(threads.next_context(), [&] {
    threads.run_long(0, [&, task = gate.task()] {
      ran_on.set_value(std::this_thread::get_id());
      task();
    });
    loop.set_value(std::this_thread::get_id());
  });
  EXPECT_NE(loop.get_future().get(), ran_on.get_future().get());
  EXPECT_TRUE(serves_io(threads, 1));
  gate.open();
}

TEST(EventLoops, RunAFewLongTasksAtOnceAndTheOthersLater) {
  EventLoops threads(2, 4);
  Gate gate;
  for (int i = 0; i < 5; ++i)
    threads.run_long(0, gate.task());
  EXPECT_TRUE(eventually([&] { return gate.arrived() == 2; }));
  EXPECT_TRUE(serves_io(threads, 2));
  EXPECT_TRUE(runs_a_task(threads));
  EXPECT_EQ(gate.arrived(), 2);
  gate.open();
  EXPECT_TRUE(eventually([&] { return gate.arrived() == 5; }));
}

TEST(EventLoops, DoNotLetWorkOnAMessageOfSomeKiBWaitForThoseOfSomeMiB) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  EventLoops threads(2, 4);
  Gate gate;
  for (int i = 0; i < 5; ++i)
    threads.run_long(4 * mib, gate.task());
  ASSERT_TRUE(eventually([&] { return gate.arrived() == 2; }));
  std::promise<void> done;
  threads.run_long(mib / 32, [&] { done.set_value(); });
  EXPECT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
  EXPECT_EQ(gate.arrived(), 2);
}

TEST(EventLoops, RunALongTaskWhileAsManyTasksBlockAsMay) {
  EventLoops threads(1, 2);
  Gate blocking;
  threads.run(blocking.task());
  threads.run(blocking.task());
  ASSERT_TRUE(eventually([&] { return blocking.arrived() == 2; }));
  Gate gate;
  threads.run_long(0, gate.task());
  EXPECT_TRUE(eventually([&] { return gate.arrived() == 1; }));
  EXPECT_TRUE(serves_io(threads, 1));
}

TEST(EventLoops, RunWhatIsUrgentWhileAsManyTasksBlockAsMay) {
  EventLoops threads(1, 2);
  Gate blocking;
  for (int i = 0; i < 4; ++i)
    threads.run(blocking.task());
  ASSERT_TRUE(eventually([&] { return blocking.arrived() == 2; }));
  threads.run_urgently([&] { blocking.open(); });
  EXPECT_TRUE(eventually([&] { return blocking.arrived() == 4; }));
}

TEST(EventLoops, DoNotLetWorkOnMessagesWaitForWhatWaitsForADisk) {
  EventLoops threads(1, 4);
  Gate disk;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(threads.run_waiting(disk.task()));
  ASSERT_TRUE(eventually([&] { return disk.arrived() == 1; }));
  std::promise<void> done;
  threads.run_long(0, [&] { done.set_value(); });
  EXPECT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
  EXPECT_EQ(disk.arrived(), 1);
  disk.open();
  EXPECT_TRUE(eventually([&] { return disk.arrived() == 3; }));
}

TEST(EventLoops, RunATaskThatALongTaskHandsIn) {
  EventLoops threads(1, 4);
  std::promise<void> done;
  threads.run_long(0, [&] { threads.run([&] { done.set_value(); }); });
  EXPECT_EQ(done.get_future().wait_for(test::patience), std::future_status::ready);
}

TEST(EventLoops, NeverHaveMoreThreadsThanTheirBound) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> ran{0};
  EventLoops threads(2, 3);
  for (int i = 0; i < 60; ++i) {
    threads.run([&] {
      {
        const std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
      }
      std::this_thread::sleep_for(3ms);  // longer than a thread that runs a loop may
      ++ran;
    });
  }
  ASSERT_TRUE(eventually([&] { return ran == 60; }));
  // A thread that is coming out of its task counts no more as one that runs, and a loop may have another one already.
  EXPECT_LE(seen.size(), 2U * 2U + 3U);
}

// What a thread's stack takes is counted by this limit. So there are few more threads to be had.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t more) {
    ::getrlimit(RLIMIT_DATA, &before_);
    const rlimit lower{data_of_this_process() + more, before_.rlim_max};
    ::setrlimit(RLIMIT_DATA, &lower);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_DATA, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  static rlim_t data_of_this_process() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      rlim_t kib = 0;
      if (word == "VmData:" && status >> kib) return kib * 1024;
    }
    return 0;
  }

  rlimit before_{};
};

TEST(EventLoops, GoOnWithTheIoThoughTheSystemGivesNoMoreThreads) {
  if (is_sanitized) GTEST_SKIP() << "a sanitizer's memory is beyond every limit";
  constexpr int tasks = 40;
  std::atomic<int> ran{0};
  EventLoops threads(1, 64);
  {
    const MemoryLimit limit(std::size_t{40} << 20);
    for (int i = 0; i < tasks; ++i) {
      threads.run([&] {
        // What it waits for comes by the loop that it came by.
        std::promise<void> came;
        boost::asio::post(threads.next_context(), [&came] { came.set_value(); });
        if (came.get_future().wait_for(test::patience) == std::future_status::ready) ++ran;
      });
    }
    EXPECT_TRUE(eventually([&] { return ran == tasks; }));
  }
}

TEST(EventLoops, GoOnAfterATaskThatFindsNoMemory) {
  EventLoops threads(1, 1);
  threads.run([] { throw std::bad_alloc(); });
  EXPECT_TRUE(runs_a_task(threads));
  threads.run_long(1, [] { throw std::bad_alloc(); });
  const auto ran = std::make_shared<std::atomic<bool>>(false);
  threads.run_long(1, [ran] { *ran = true; });
  EXPECT_TRUE(eventually([&] { return ran->load(); }));
}

TEST(EventLoops, KeepALoopOfWorkThatFindsNoMemory) {
  EventLoops threads(1, 1);
  std::promise<bool> thrown;
  boost::asio::post(threads.next_context(), [&] {
    try {
      std::ignore = threads.run_here([] { throw std::bad_alloc(); });
      thrown.set_value(false);
    } catch (const std::bad_alloc&) {
      thrown.set_value(true);
    }
  });
  EXPECT_TRUE(thrown.get_future().get());
  EXPECT_TRUE(serves_io(threads, 1));
}

TEST(EventLoops, StopTheIoAndEnd) {
  EventLoops threads(2, 4);
  threads.stop();
  EXPECT_TRUE(threads.join(test::patience));
}

TEST(EventLoops, SayThatATaskStillRuns) {
  EventLoops threads(1, 4);
  Gate gate;
  threads.run(gate.task());
  ASSERT_TRUE(eventually([&] { return gate.arrived() == 1; }));
  threads.stop();
  EXPECT_FALSE(threads.join(10ms));
  gate.open();
  EXPECT_TRUE(threads.join(test::patience));
}

// It may own what has to go before the process ends, as the plugin of a call.
TEST(EventLoops, DropWhatHasNotBegunOnceTheyAreJoined) {
  EventLoops threads(2, 1);
  const auto owned = std::make_shared<int>();
  Gate gate;
  threads.run(gate.task());
  ASSERT_TRUE(eventually([&] { return gate.arrived() == 1; }));
  threads.run([owned] {});  // waits for the one that runs
  threads.stop();
  for (int i = 0; i < 2; ++i)
    threads.run([owned] {});
  gate.open();
  ASSERT_TRUE(threads.join(test::patience));
  threads.run([owned] {});
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(EventLoops, DoWhatWaitsForADiskBeforeTheyEnd) {
  EventLoops threads(1, 4);
  Gate disk;
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(threads.run_waiting(disk.task()));
  ASSERT_TRUE(eventually([&] { return disk.arrived() == 1; }));
  threads.stop();
  EXPECT_FALSE(threads.run_waiting([] {})) << "whoever asks does it";
  disk.open();
  EXPECT_TRUE(threads.join(test::patience));
  EXPECT_EQ(disk.arrived(), 3);
}

TEST(EventLoops, AreJoinedWhenTheyAreDestroyed) {
  std::atomic<bool> ended{false};
  {
    EventLoops threads(1, 4);
    std::promise<void> began;
    threads.run([&] {
      began.set_value();
      std::this_thread::sleep_for(5ms);
      ended = true;
    });
    began.get_future().wait();
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace mcph
