// Sees to it that a plugin's calls end in time: one that takes too long is cancelled, and one that does not heed that
// is told to the plugin's owner. While the plugin is debugged, none does. Belongs to a plugin; any thread. Costs a call
// nothing but a look at the clock and at a number.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "base/mutex.hpp"
#include "plugin/calls_in_flight.hpp"
#include "runtime/timers.hpp"

namespace mcph {

class CallDeadlines {
 public:
  struct Times {
    // Then it is cancelled, or before if the call itself says so; 0: it may take any time, unless it says otherwise.
    std::chrono::milliseconds call{300'000};
    std::chrono::milliseconds grace{2'000};  // from then on; then it is overdue
  };
  // Told of a call that is late and therefore cancelled, or of one that is overdue. On the timers' thread, again and
  // again until the call is gone. Late returns why it is cancelled, as Call::cancel wants it.
  using Late = std::function<std::string(const Call& call)>;
  using Overdue = std::function<void(std::uint64_t id, const Call& call)>;

  // Whether somebody debugs the plugin, asked on the timers' thread when a call would be late.
  using Debugged = std::function<bool()>;

  // The timers and the calls outlive it.
  CallDeadlines(Timers& timers, CallsInFlight& calls, Times times, Late late, Overdue overdue, Debugged debugged)
      : timers_(timers),
        calls_(calls),
        times_(times),
        late_(std::move(late)),
        overdue_(std::move(overdue)),
        debugged_(std::move(debugged)) {}
  // What runs has ended then.
  ~CallDeadlines();
  CallDeadlines(const CallDeadlines&) = delete;
  CallDeadlines& operator=(const CallDeadlines&) = delete;

  // There is one more call, which is told its deadline.
  void call_began(Call& call) {
    const auto time = time_of(call);
    if (time.count() == 0) return;
    call.set_deadline(std::chrono::system_clock::now() + time);
    if (Clock::now() + time < next_look_.load()) watch();
  }
  // The less of what the call and the plugin may take; 0: any time.
  static std::chrono::milliseconds time_of(const Call& call, std::chrono::milliseconds of_plugin);

 private:
  using Clock = CallsInFlight::Clock;

  std::chrono::milliseconds time_of(const Call& call) const { return time_of(call, times_.call); }
  // Sets the timer for when the first call will be late.
  void watch();
  void look();
  void cancel_late_calls();

  Timers& timers_;
  CallsInFlight& calls_;
  const Times times_;
  const Late late_;
  const Overdue overdue_;
  const Debugged debugged_;
  std::atomic<Clock::time_point> next_look_{Clock::time_point::max()};  // for which the timer is set
  Mutex mutex_;
  std::optional<Timers::Id> timer_ GUARDED_BY(mutex_);
  bool ending_ GUARDED_BY(mutex_) = false;
  bool is_debugged_ GUARDED_BY(mutex_) = false;       // at the last look
  Clock::time_point debugged_at_ GUARDED_BY(mutex_);  // when it last was
};

}  // namespace mcph
