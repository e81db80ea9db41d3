// A plugin version that runs in a process of its own: whatever happens to it there costs only its own calls. It passes
// on calls and what the plugin says of them, and starts the process anew when it dies. Any thread, except where Plugin
// says [control].
#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plugin/call_deadlines.hpp"
#include "plugin/calls_in_flight.hpp"
#include "plugin/component_changes.hpp"
#include "plugin/debugger.hpp"
#include "plugin/isolated/cpu_share.hpp"
#include "plugin/isolated/last_lines.hpp"
#include "plugin/isolated/worker_process.hpp"
#include "plugin/isolated/workers.hpp"
#include "plugin/library/private_copy.hpp"
#include "plugin/limit_log.hpp"
#include "plugin/plugin_setup.hpp"
#include "plugin/restart_policy.hpp"
#include "telemetry/log.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class WorkerPlugin final : public Plugin, private WorkerListener {
 public:
  // [control] Starts the process and makes the instance there. The workers and the log outlive it.
  static Result<std::unique_ptr<WorkerPlugin>> create(std::shared_ptr<const PrivateCopy> library, PluginSetup setup,
                                                      Workers& workers, Log& log);
  ~WorkerPlugin() override;
  WorkerPlugin(const WorkerPlugin&) = delete;
  WorkerPlugin& operator=(const WorkerPlugin&) = delete;

  const PluginIdentity& identity() const override { return identity_; }
  Result<std::string> describe() override;
  Result<> start() override;
  void invoke(std::shared_ptr<Call> call) override;
  void cancel_all(CancelReason reason) override;
  std::size_t fail_all(std::string_view why) override;
  std::size_t calls_in_flight() const override { return calls_.size(); }
  PluginStatus status() const override;
  void call_failed(std::string why) override { calls_.failed(std::move(why)); }
  void answered_wrongly(std::string why) override {
    limit_log_.answered_wrongly(why);
    calls_.failed(std::move(why));
  }
  bool stop(std::chrono::milliseconds patience) override;

 private:
  enum class State {
    loaded,    // and not started
    serving,   // calls are passed on
    starting,  // anew: calls wait
    resting,   // it has crashed again and again: calls are refused until it is started anew
    given_up,  // so they are for good
    ended
  };
  using Answer = Result<std::string>;

  WorkerPlugin(std::shared_ptr<const PrivateCopy> library, PluginSetup setup, Workers& workers, Log& log);

  Result<> load();
  void adopt(std::shared_ptr<WorkerProcess> process);  // needs the lock
  void keep_to_cpu_share();                            // needs the lock; once the plugin has started
  void end_cpu_share();                                // needs the lock
  // [control] Asks the worker something and waits for its answer.
  Answer ask(Frame::Kind question, std::string_view text = {});
  std::string setup_json(bool starts) const;

  void give(WorkerProcess& process, std::uint64_t id, Call& call);
  void cancel(std::uint64_t id, CancelReason reason);
  void end_for(const Call& late);
  // It says first where it is. What it answers from now on is too late.
  void end_late(const std::shared_ptr<WorkerProcess>& late, std::string why);
  std::shared_ptr<WorkerProcess> process() const;
  // Whether somebody does, so that no limit of time counts. Says so once for each process.
  bool is_debugged(WorkerProcess& process);
  void limit_start(const std::shared_ptr<WorkerProcess>& process, Patience patience);  // needs the lock

  void frame_came(const Frame& frame) override;
  bool long_frame_came(const Frame& head, std::size_t size) override;
  void line_printed(std::string_view line) override;
  void left_processes(const ProcessMark::Ended& ended) override;
  void process_ended(const std::string& end) override;

  void take(const Frame& frame);
  void log_line(Log::Level level, std::string_view event, std::string_view name, std::string_view text);
  Log::Field who() const;
  void answered(Answer answer);
  void became_ready(const Frame& frame);
  void answer_question(const Frame& frame);
  void failed(const Error& error);
  bool wants_text(const Frame& head, std::size_t size);
  void complete(const Frame& frame);
  void refuse_large_answer(std::uint64_t id, std::size_t size);
  // `is_own`: it is the plugin's own answer, and not its worker's.
  void pass_on(Call& call, std::int32_t outcome, std::string json, bool is_own) const;
  void tell_context(const Frame& question);
  void note(const Frame& frame);

  // Of a process that has ended, or could not begin.
  struct End {
    std::string how;           // continues "its process ..."
    std::string running;       // what it was doing
    std::string printed = {};  // as LastLines has it
    std::size_t failed_calls = 0;
    bool may_pass = false;  // for a cause that is not the plugin's fault
  };
  void plan_restart(const End& end);
  void restart();  // on the workers' thread
  void miss_library();
  void stop_timer();

  const std::shared_ptr<const PrivateCopy> library_;
  const PluginSetup setup_;
  PluginIdentity identity_;
  std::vector<std::string> sandbox_lacks_;  // written once, before create returns
  Workers& workers_;
  RateLimitedLog log_;
  LimitLog limit_log_;

  CallsInFlight calls_;
  const std::shared_ptr<ComponentChanges> changes_;
  std::atomic<bool> wants_context_{false};     // the plugin has asked who is calling, and will again
  std::atomic<bool> has_stuck_calls_{false};   // answered in the plugin's stead, and perhaps running still
  std::atomic<bool> told_of_debugger_{false};  // of this process
  LastLines last_lines_;                       // of whoever reads the process, which has printed them
  bool lacked_memory_ = false;                 // likewise: this process has said so
  bool is_crashing_ = false;                   // likewise
  bool tells_place_ = false;                   // likewise: of one of its threads

  mutable std::mutex mutex_;
  State state_ = State::loaded;
  std::shared_ptr<WorkerProcess> process_;
  std::shared_ptr<WorkerProcess> last_process_;  // the same, or one that has ended and may be telling so
  std::string end_;                              // of the last process that is not there any more
  std::shared_ptr<CpuShare> cpu_share_;          // of a process that has started
  bool hangs_ = false;                           // the process, which is about to be ended: calls wait
  bool cannot_start_ = false;                    // the process says so, for a cause that may pass
  struct Question {
    Frame::Kind kind;
    std::promise<Answer> answer;
  };
  std::optional<Question> question_;
  std::deque<std::uint64_t> waiting_;  // for the process that is starting
  std::string description_;            // as it was last
  RestartPolicy policy_;
  std::uint64_t restarts_ = 0;
  std::optional<Timers::Id> timer_;  // of the next restart, or for one that takes too long
  CallDeadlines deadlines_;
};

}  // namespace mcph
