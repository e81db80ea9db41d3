// Runs what loads plugins, and describes them again, on threads for nothing else, because code of a plugin may hang in
// it. Only so many run at once, the others wait in their order, and a thread whose task is over goes on with the next;
// one that has run for long counts no more, so that it keeps nobody waiting. Owned by who assembles the program; any
// thread. The destructor drops what waits, and waits for what runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <thread>

#include "base/mutex.hpp"
#include "runtime/executor.hpp"

namespace mcph {

class LoadThreads final : public Executor {
 public:
  struct Options {
    std::size_t at_once = 4;
    std::chrono::milliseconds long_time{500};
    std::size_t max_running = 64;  // with those that have run for long
  };

  explicit LoadThreads(Options options) : options_(options), starter_([this] { start_when_due(); }) {}
  ~LoadThreads() override;
  LoadThreads(const LoadThreads&) = delete;
  LoadThreads& operator=(const LoadThreads&) = delete;

  void run(std::function<void()> task) override;

  // Waits until nothing runs, and starts nothing more. False: that took longer.
  bool stop(std::chrono::milliseconds patience);

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Clock::time_point since;  // when its task began
    std::thread thread = {};
    bool over = false;  // and there is no other task for it; guarded by the mutex
  };

  void start_when_due();
  bool may_start(Clock::time_point now) const REQUIRES(mutex_);
  // False: there is no thread to be had just now.
  bool start_next() REQUIRES(mutex_);
  // On a thread: this task, and those that wait.
  void run_tasks(Running& running, std::function<void()> task);
  std::function<void()> take_next() REQUIRES(mutex_);
  void join_ended() REQUIRES(mutex_);

  const Options options_;
  Mutex mutex_;
  Condition changed_;
  std::deque<std::function<void()>> waiting_ GUARDED_BY(mutex_);
  std::list<Running> running_ GUARDED_BY(mutex_);
  bool runs_here_ GUARDED_BY(mutex_) = false;  // a task, on the thread that starts the others
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread starter_;
};

}  // namespace mcph
