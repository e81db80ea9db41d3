// Keeps a worker for a plugin version: starts its process, asks it to load, describe and start the plugin, ends it
// where it does not come back, and starts it anew when it dies. Owned by the plugin; any thread, except where [control]
// is said: one that may block, one at a time. What the worker says is told on the thread that reads it, one thing at a
// time.
//
//   state    | entered when                               | calls are         | left for
//   ---------+--------------------------------------------+-------------------+--------------------------------------
//   loaded   | it is made                                 | refused           | serving, when the plugin has started
//   serving  | the plugin has started, or started anew    | given             | starting, when the process ends
//   starting | the process ended, and the next one comes  | kept for the next | serving, when that is ready; starting,
//            | at once, or has come and is not ready      | process           | backoff or given_up, when it ends, too
//   backoff  | the next one has to wait: the process      | refused, "soon"   | starting, when its time has come;
//            | ended often, or could not start for a      |                   | given_up, when the copy is gone by then
//            | cause that may pass                        |                   |
//   given_up | it ended too often, or the copy of the     | refused           |
//            | library is gone                            |                   |
//   stopped  | stop, or the end of this object            | refused           |
//
// Invariants. While calls are given there is a channel. Its process may be *ending*: it did not come back, has been
// asked where it is, and is about to be killed. Then calls are kept, because what becomes of them is decided when it
// has ended, and nothing that it says of itself counts. At most one query is open; it is answered, or fails when it
// cannot be sent or the process ends. There are as many functions and members as there are because all of them are
// steps of one life, under one lock. Locks. `mutex_` guards what is below it. Nothing is told to anybody under it, and
// the listener's functions take it under the channel's lock on reading, so no channel is waited for, or made to forget,
// under it.
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "plugin/call_table.hpp"
#include "plugin/debugger.hpp"
#include "plugin/isolated/cpu_share.hpp"
#include "plugin/isolated/crash_telling.hpp"
#include "plugin/isolated/worker_channel.hpp"
#include "plugin/isolated/worker_reports.hpp"
#include "plugin/isolated/worker_setup.hpp"
#include "plugin/isolated/workers.hpp"
#include "plugin/library/private_copy.hpp"
#include "plugin/plugin_setup.hpp"
#include "plugin/restart_policy.hpp"

namespace mcph {

class Supervisor final : private WorkerListener {
 public:
  // Whose worker it is. [any]
  class Owner {
   public:
    // Once, before load returns.
    virtual void identified(WorkerIdentity identity) = 0;
    // A message that is neither an answer to the supervisor nor for the log.
    virtual void message_came(const to_host::Message& message, WorkerChannel& channel) = 0;
    virtual void give(WorkerChannel& channel, const CallTable::Admitted& call) = 0;
    // The process, after all that it has said, and before the next one begins.
    virtual void process_ended() = 0;

   protected:
    ~Owner() = default;
  };

  // Messages that no owner is given.
  template <class Message>
  static constexpr bool takes = std::is_same_v<Message, to_host::Ready> || std::is_same_v<Message, to_host::Failed> ||
                                std::is_same_v<Message, to_host::ComponentsChanged> || WorkerReports::takes<Message>;

  // All of it outlives the supervisor, but the calls, which go first: stop or end is called before.
  struct Surroundings {
    const PluginIdentity& identity;
    const PluginSetup& setup;
    const PrivateCopy& library;
    Workers& workers;
    Log& log;
    LimitReports& limit_reports;
    CallTable& calls;
  };
  Supervisor(const Surroundings& surroundings, Owner& owner);
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // [control] Each waits for the worker's answer.
  Result<> load();
  Result<std::string> describe();
  Result<> start();
  // [control] Lets the plugin stop, or else kills it; no call is in flight.
  void stop(std::chrono::milliseconds patience);
  // The same at once; nothing is told from then on.
  void end();

  // Where a call that has been admitted goes.
  struct Route {
    std::shared_ptr<WorkerChannel> channel;  // to this worker; null: it waits in the table, or is refused
    std::string_view why_not;                // follows "plugin NAME"; empty: it goes to the channel, or waits
  };
  Route route(CallId call);

  // The worker that there is; null if there is none.
  std::shared_ptr<WorkerChannel> channel() const;

  // The call took too long: ends the worker. It says first where it is.
  void end_for(const Call& late);

  // Whether somebody debugs the worker, so that no limit of time counts. Says so once for each process.
  bool is_debugged();

  // State, process and restarts.
  PluginStatus status() const;
  // Whether calls are being refused because of how the process has ended.
  bool refuses_for_crash() const { return refusals_for_crash_ > 0; }

 private:
  enum class State { loaded, serving, starting, backoff, given_up, stopped };
  enum class Purpose { load, describe, start, restart };
  using Answer = Result<std::string>;
  struct Query {
    QueryId id;
    Purpose purpose;
    std::optional<std::promise<Answer>> answer = std::promise<Answer>();  // nothing: nobody waits for it
  };
  using Calls = std::vector<std::shared_ptr<Call>>;
  // Of a process that has ended, or could not begin.
  struct End {
    std::string how;           // continues "its process ..."
    std::string running;       // what it was doing
    std::string printed = {};  // as LastLines has it
    std::size_t failed_calls = 0;
    bool may_pass = false;
    std::chrono::system_clock::time_point at = {};
    std::vector<StackTrace> traces = {};
    Calls calls = {};            // that have not been refused yet
    bool tells_clients = false;  // the place of the crash: they are refused when that is told
  };

  std::shared_ptr<WorkerChannel> last_channel() const;

  void message_came(const to_host::Message& message) override;
  bool long_message_came(const to_host::LongMessage& message) override;
  void line_printed(std::string_view line) override;
  void left_processes(const ProcessMark::Ended& ended) override;
  bool expects_messages() override { return calls_.size() > 0; }
  void process_ended(const WorkerEnd& end) override;

  void take(const to_host::Ready& ready);
  void take(const to_host::Failed& failed);
  void take(const to_host::ComponentsChanged& changed);
  void take_other(const to_host::Message& message);
  bool wants_description(const to_host::LongMessage& message);

  Answer ask(Purpose purpose);
  // What the worker was doing while the query was open; continues "its process ...".
  static std::string_view words_for(Purpose purpose);
  QueryId begin_query(Purpose purpose) REQUIRES(mutex_);
  bool send_query(WorkerChannel& channel, Purpose purpose, QueryId query) const;
  void answered(QueryId query, Answer answer);  // if it is still open
  std::string setup_json(bool starts) const;

  void adopt(std::shared_ptr<WorkerChannel> channel) REQUIRES(mutex_);
  void keep_to_cpu_share() REQUIRES(mutex_);  // once the plugin has started
  void end_cpu_share() REQUIRES(mutex_);
  void stop_timer() REQUIRES(mutex_);
  // What it answers from now on is too late. `only_in`: unless it has left that state.
  void end_late(const std::shared_ptr<WorkerChannel>& late, std::string why, std::optional<State> only_in = {});
  bool is_debugged(WorkerProcess& process);
  std::chrono::milliseconds time_of_restart() const;
  void limit_start(const std::shared_ptr<WorkerChannel>& channel, Patience patience) REQUIRES(mutex_);

  using Delay = std::optional<std::chrono::milliseconds>;

  // Its calls fail because it has ended; `how` continues "its process ...".
  void refuse_calls(const Calls& calls, const std::string& how);
  void plan_restart(End end);
  void tell_crash(const End& end, Delay until_restart, const ReadableStacks& stacks);
  void tell_trace(const ReadableStacks& stacks);
  void restart();  // on the workers' thread
  void miss_library();

  const PluginIdentity& identity_;
  const PluginSetup& setup_;
  const PrivateCopy& library_;
  Workers& workers_;
  Log& log_;
  LimitReports& limit_reports_;
  CallTable& calls_;
  Owner& owner_;
  WorkerReports reports_;                      // of whoever reads the worker
  RestartPolicy policy_;                       // likewise, and of the workers' thread when there is none
  std::atomic<bool> told_of_debugger_{false};  // of this process
  std::atomic<int> refusals_for_crash_{0};     // that are under way
  CrashTelling telling_;

  mutable Mutex mutex_;
  State state_ GUARDED_BY(mutex_) = State::loaded;
  std::shared_ptr<WorkerChannel> channel_ GUARDED_BY(mutex_);
  std::shared_ptr<WorkerChannel> last_channel_
      GUARDED_BY(mutex_);                                   // the same, or one that has ended and may be telling so
  bool is_ending_ GUARDED_BY(mutex_) = false;               // the process
  std::string end_ GUARDED_BY(mutex_);                      // of the last process that is not there any more
  std::shared_ptr<CpuShare> cpu_share_ GUARDED_BY(mutex_);  // of a process that has started
  QueryId last_query_ GUARDED_BY(mutex_) = 0;
  std::optional<Query> query_ GUARDED_BY(mutex_);
  std::string description_ GUARDED_BY(mutex_);         // as it was last
  bool has_changed_since_ GUARDED_BY(mutex_) = false;  // a process that is starting anew, after it was described
  std::uint64_t restarts_ GUARDED_BY(mutex_) = 0;
  std::optional<Timers::Id> timer_ GUARDED_BY(mutex_);  // of the next restart, or for one that takes too long
};

}  // namespace mcph
