// The calls of one plugin version, whether it runs in this process or in one of its own: which are admitted, under
// which id, which of them wait, when one is late, and how each of them ends, once. Owned by a plugin; any thread, and a
// plugin may call it under its own lock, except where a function ends calls. One function a thing that can happen to a
// call, or that is asked of them all.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/call_deadlines.hpp"
#include "plugin/calls_in_flight.hpp"
#include "plugin/component_changes.hpp"
#include "plugin/limit_reports.hpp"
#include "plugin/plugin.hpp"

namespace mcph {

class CallTable {
 public:
  // What only the kind of plugin knows to do. [any]
  class Owner {
   public:
    // The plugin has been given the call, or is about to be, and is to end it early.
    virtual void cancel_given(std::uint64_t id, const std::shared_ptr<Call>& call, CancelReason reason) = 0;
    // The call took too long, and the plugin has not heeded its cancellation. On the timers' thread, again and again
    // until the call is gone.
    virtual void end_overdue(std::uint64_t id, const Call& call) = 0;
    // Whether somebody debugs the plugin. On the timers' thread.
    virtual bool is_debugged() = 0;

   protected:
    ~Owner() = default;
  };

  // All of it outlives the table. Without timers, in a worker, neither does a call become late nor does an answer wait:
  // both are its host's part.
  struct Surroundings {
    const PluginIdentity& identity;
    const PluginLimits& limits;
    const PluginEvents& events;
    LimitReports& limit_reports;
    Executor& executor;
    Timers* timers = nullptr;
  };
  CallTable(const Surroundings& surroundings, Owner& owner);
  CallTable(const CallTable&) = delete;
  CallTable& operator=(const CallTable&) = delete;

  // Its id. Nothing: there were too many, or it was cancelled before it came, and it has been refused.
  std::optional<std::uint64_t> admit(const std::shared_ptr<Call>& call);

  struct Admitted {
    std::uint64_t id;
    std::shared_ptr<Call> call;
  };
  // It is given to the plugin later, first come, first served, unless it is cancelled before.
  void wait(std::uint64_t id);
  std::optional<Admitted> next_waiting();
  std::vector<Admitted> all_waiting();

  std::shared_ptr<Call> find(std::uint64_t id) const { return calls_.find(id); }

  // What a plugin has answered. `text` is the sender's until complete returns.
  struct Answer {
    std::uint64_t id;
    std::int32_t outcome;  // one of MCP_OUTCOME_*, if the plugin does as it should
    std::string_view text;
    bool by_worker = false;                  // it was not the plugin that answered, but its worker, or the host
    std::shared_ptr<const void> owner = {};  // which keeps the text beyond that, where there is one
  };
  // Runs the check of an answer that is long.
  using RunCheck = std::function<void(std::function<void()> check)>;
  // [any] The call ends, unless it has to wait for what the plugin has changed; it stays in flight until its answer is
  // passed on. False: there is no such call in flight. Without `run_check` everything is done on this thread.
  bool complete(const Answer& answer, const RunCheck& run_check = {});
  // [any] An answer of this size has not even been read.
  void refuse_large(std::uint64_t id, std::size_t size);

  // [any] The call ends with an error, in the plugin's stead, if it is still in flight. `what` follows "plugin NAME".
  void refuse(std::uint64_t id, std::string_view what);
  // Takes it, to be refused; when the plugin answers it later, that is only late. Null if it is not in flight.
  std::shared_ptr<Call> give_up(std::uint64_t id) { return calls_.give_up(id); }
  // Takes all that the plugin has been given, and which it will not answer, to be refused.
  std::vector<std::shared_ptr<Call>> take_given() { return calls_.take_claimed(); }
  // [any] Of every call in flight. How many there were.
  std::size_t fail_all(std::string_view why);
  void cancel_all(CancelReason reason);

  // Whether calls have been answered in the plugin's stead, which may be running still.
  bool has_given_up() const { return calls_.has_given_up(); }
  // Of a call that is not in flight: whether its answer is only late.
  bool take_given_up(std::uint64_t id) { return calls_.take_given_up(id); }

  void components_changed() const;

  // A call has ended with an error, or will, where empty: what went wrong last stays; and what is no call's end.
  void failed(std::string why) { calls_.failed(std::move(why)); }
  void went_wrong(std::string what) { calls_.went_wrong(std::move(what)); }
  void went_wrong(LastError error) { calls_.went_wrong(std::move(error)); }
  void answered_wrongly(std::string why);
  std::size_t size() const { return calls_.size(); }
  CallStatistics::Summary summary() const { return calls_.summary(); }

 private:
  void cancel(std::uint64_t id, CancelReason reason);
  std::string words_for_late(const Call& late);
  void refuse_large(Call& call, std::size_t size);
  // Of an answer that is passed on later. As complete.
  bool hold(const Answer& answer, bool waits, const RunCheck& run_check);
  bool try_to_hold(const Answer& answer, bool waits, const RunCheck& run_check);
  void pass_on(Call& call, std::int32_t outcome, std::string_view text, bool by_worker) const;

  const PluginIdentity& identity_;
  const PluginLimits& limits_;
  const PluginEvents& events_;
  LimitReports& limit_reports_;
  Owner& owner_;
  CallsInFlight calls_;
  const std::shared_ptr<ComponentChanges> changes_;  // null without timers
  Mutex mutex_;
  std::deque<std::uint64_t> waiting_ GUARDED_BY(mutex_);
  std::optional<CallDeadlines> deadlines_;  // last, so that it ends first
};

}  // namespace mcph
