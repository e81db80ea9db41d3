// What one plugin version has said of changes of its components, and its answers, which wait until clients are served
// what had changed before: who has an answer can use what it tells of. Shared by the version and whoever serves its
// components; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "base/mutex.hpp"
#include "runtime/executor.hpp"
#include "runtime/timers.hpp"

namespace mcph {

class ComponentChanges : public std::enable_shared_from_this<ComponentChanges> {
 public:
  // Whoever serves the components. It describes the plugin anew, and calls `described` before and `served` after.
  using Told = std::function<void(std::shared_ptr<ComponentChanges>)>;

  // For which an answer waits at most, whatever becomes of the changes.
  static constexpr std::chrono::milliseconds patience{1000};
  // As much as waits at most; what finds no room is not held up.
  static constexpr std::size_t max_waiting_bytes = std::size_t{64} << 20;

  // The executor and the timers outlive it. Without `told` nobody serves the components, and no answer waits.
  ComponentChanges(Told told, Executor& executor, Timers& timers)
      : told_(std::move(told)), executor_(executor), timers_(timers) {}
  ComponentChanges(const ComponentChanges&) = delete;
  ComponentChanges& operator=(const ComponentChanges&) = delete;

  // The plugin says that something has changed. However often it says so, it is told on once before the next
  // description.
  void changed();

  // Whether an answer of so many bytes that is there now has to wait.
  bool has_to_wait(std::size_t bytes) const;
  // Has the executor call `answer` when it need not wait any more.
  void keep(std::size_t bytes, std::function<void()> answer);

  // A description that is asked for from now on has all that has changed so far.
  void described();
  // What the last description has is served, or never will be.
  void served();

 private:
  using Clock = Timers::Clock;

  struct Waiting {
    std::uint64_t change;  // up to which it waits
    Clock::time_point until;
    std::size_t bytes;
    std::function<void()> answer;
  };

  void set_timer() REQUIRES(mutex_);
  void look();
  void release_served() REQUIRES(mutex_);
  // Runs nothing itself.
  template <class IsOver>
  void release(IsOver&& is_over) REQUIRES(mutex_);

  const Told told_;
  Executor& executor_;
  Timers& timers_;
  mutable Mutex mutex_;
  std::uint64_t changes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t described_ GUARDED_BY(mutex_) = 0;
  std::uint64_t served_ GUARDED_BY(mutex_) = 0;
  bool is_told_ GUARDED_BY(mutex_) = false;         // since the last description
  std::deque<Waiting> waiting_ GUARDED_BY(mutex_);  // for the longest time first
  std::size_t waiting_bytes_ GUARDED_BY(mutex_) = 0;
  bool timer_is_set_ GUARDED_BY(mutex_) = false;
};

}  // namespace mcph
