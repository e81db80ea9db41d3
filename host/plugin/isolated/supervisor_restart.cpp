// How a worker's process ends, and the next one begins.
#include <new>
#include <set>
#include <utility>

#include "base/in_seconds.hpp"
#include "plugin/answer_in_stead.hpp"
#include "plugin/isolated/supervisor.hpp"
#include "plugin/limit_reports.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_names = 8;

constexpr std::string_view good_end = "exited with status 0";

// After anything that is said of the end of a process.
std::string words_for_printed(const std::string& lines) {
  return lines.empty() ? lines : "; it printed last: " + lines;
}

// After how a process has ended. An offset is for the log.
std::string words_for_place(const ReadableStacks& stacks) {
  return stacks.has_line ? ", at " + stacks.place : "";
}

// The components whose calls these are.
std::string names_of(const std::vector<std::shared_ptr<Call>>& calls) {
  std::set<std::string> names;
  for (const auto& call : calls)
    names.insert(call->component());
  std::string text;
  std::size_t count = 0;
  for (const auto& name : names) {
    if (++count > max_names) return text + " and others";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "no call" : text;
}

}  // namespace

bool Supervisor::is_debugged() {
  const auto running = channel();
  return running != nullptr && is_debugged(running->process());
}

bool Supervisor::is_debugged(WorkerProcess& process) {
  if (!process.is_debugged()) return false;
  if (!told_of_debugger_.exchange(true)) {
    log_.warning("plugin is being debugged", {{"file", setup_.file.string()},  // it may be about to tell its name
                                              {"pid", process.id()},
                                              {"consequence", "no limit of time counts while its debugger is there"}});
  }
  return true;
}

void Supervisor::keep_to_cpu_share() {
  if (setup_.limits.cpu_percent == 0) return;
  auto tell = [this] { limit_reports_.reached(Limit::cpu_time, words_for_cpu_time(setup_.limits)); };
  cpu_share_ =
      CpuShare::keep(workers_.timers(), channel_->shared_process(), setup_.limits.cpu_percent, std::move(tell));
}

void Supervisor::end_cpu_share() {
  if (cpu_share_ != nullptr) std::exchange(cpu_share_, nullptr)->end();
}

void Supervisor::stop_timer() {
  if (timer_) workers_.timers().cancel(*std::exchange(timer_, std::nullopt));
}

void Supervisor::end_for(const Call& late) {
  const auto running = channel();
  if (running == nullptr) return;
  end_late(running,
           "was killed, because " + words_for_late_call(late, setup_.limits) + " and did not heed its cancellation");
}

void Supervisor::end_late(const std::shared_ptr<WorkerChannel>& late, std::string why, std::optional<State> only_in) {
  {
    const MutexLock lock(mutex_);
    if (channel_ != late || is_ending_ || (only_in && state_ != *only_in)) return;
    // First, so that it ends whatever else fails. When it has ended, nothing of it is kept for that.
    workers_.timers().after(WorkerChannel::places_time, [weak = std::weak_ptr(late), why] {
      if (const auto channel = weak.lock()) channel->process().kill(why);
    });
    is_ending_ = true;
    end_cpu_share();  // stopped it would say nothing
  }
  late->ask_for_places(std::move(why));
}

void Supervisor::process_ended(const WorkerEnd& end) {
  owner_.process_ended();
  const auto how = reports_.end(end.how);
  const auto printed = reports_.last_lines();
  auto traces = reports_.traces();
  told_of_debugger_ = false;
  State state{};
  std::optional<Query> open;
  std::string why;
  {
    const MutexLock lock(mutex_);
    state = state_;
    is_ending_ = false;
    if (state != State::stopped) channel_ = nullptr;
    // Calls that come from now on wait for what is decided below.
    if (state == State::serving) state_ = State::starting;
    open.swap(query_);
    why = "its process " + how + std::string(open ? words_for(open->purpose) : "") + words_for_printed(printed);
    end_ = why;
    stop_timer();
    end_cpu_share();
  }
  const auto calls = calls_.take_given();
  const bool tells_clients = workers_.options().tell_crash_places && !traces.empty();
  if (state == State::serving || state == State::starting) {
    const bool is_described = open && open->answer;
    // Whoever asks need not ask again: when it has been started anew, its description is compared with the last one.
    if (is_described) open->answer->set_value(fail_for_now(why));
    return plan_restart({.how = how,
                         .running = state == State::starting        ? "setup, describe or on_start"
                                    : is_described && calls.empty() ? "describe"
                                                                    : names_of(calls),
                         .printed = printed,
                         .failed_calls = calls.size(),
                         .may_pass = end.may_pass,
                         .traces = std::move(traces),
                         .calls = calls,
                         .tells_clients = tells_clients});
  }
  if (!tells_clients) refuse_calls(calls, how);
  const bool may_pass = end.may_pass || end.by_others;
  const bool is_bad_stop = state == State::stopped && end.how != good_end;
  const auto query = open ? std::make_shared<Query>(*std::move(open)) : nullptr;
  telling_.once_readable(std::move(traces), [this, how, printed, calls, tells_clients, is_bad_stop, may_pass,
                                             query](const ReadableStacks& stacks) {
    const auto how_and_where = how + words_for_place(stacks);
    if (is_bad_stop) {
      log_.error(plugin_stopped_badly, {{"file", setup_.file.string()},
                                        {"plugin", identity_.name},
                                        {"version", identity_.version},
                                        {"what", "its process " + how},
                                        {"at", stacks.place.empty() ? "unknown" : stacks.place},
                                        {"printed", printed.empty() ? "nothing" : printed}});
    }
    tell_trace(stacks);
    if (tells_clients) refuse_calls(calls, how_and_where);
    if (query == nullptr || !query->answer) return;
    auto words = "its process " + how_and_where + std::string(words_for(query->purpose)) + words_for_printed(printed);
    query->answer->set_value(may_pass ? fail_for_now(std::move(words)) : fail(std::move(words)));
  });
}

void Supervisor::refuse_calls(const Calls& calls, const std::string& how) {
  ++refusals_for_crash_;
  for (const auto& call : calls) {
    // Of the call for which it was killed that says all.
    const auto late = words_for_late_call(*call, setup_.limits);
    auto words = "plugin " + identity_.name + ": its process " + how;
    if (how.find("because " + late) == std::string::npos) {
      words += " while it served " + call->component();
      if (calls.size() > 1) words += ", one of " + std::to_string(calls.size()) + " calls that it had";
    }
    refuse(*call, std::move(words));
  }
  --refusals_for_crash_;
}

void Supervisor::tell_trace(const ReadableStacks& stacks) {
  for (const auto& line : stacks.lines)
    log_.error("plugin backtrace", {log_field(identity_), {"text", line}});
}

void Supervisor::tell_crash(const End& end, Delay until_restart, const ReadableStacks& stacks) {
  const auto how_and_where = end.how + words_for_place(stacks);
  refuse_calls(end.calls, how_and_where);
  if (stacks.has_line)
    calls_.went_wrong(LastError{"its process " + how_and_where + words_for_printed(end.printed), end.at});
  log_.error(end.may_pass ? plugin_cannot_start : plugin_crashed,
             {{"file", setup_.file.string()},
              {"plugin", identity_.name},
              {"version", identity_.version},
              {"what", "its process " + end.how},
              {"at", stacks.place.empty() ? "unknown" : stacks.place},
              {"build_id", stacks.build_id.empty() ? "unknown" : stacks.build_id},
              {"printed", end.printed.empty() ? "nothing" : end.printed},
              {"running", end.running},
              {"calls_failed", end.failed_calls},
              {"next", !until_restart ? "it is not started again before its file changes or the operator reloads it"
                       : until_restart->count() > 0
                           ? "it is started again in " + std::to_string(until_restart->count()) + " ms"
                           : "it is started again"}});
  tell_trace(stacks);
  if (until_restart || !setup_.events.gave_up) return;
  setup_.events.gave_up(
      fail("its process " + how_and_where + ", and did so too often" + words_for_printed(end.printed)));
}

void Supervisor::plan_restart(End end) {
  // What keeps it from starting, and is not its own fault, does not count.
  const Delay delay = end.may_pass ? setup_.restarts.last_delay : policy_.after_crash(RestartPolicy::Clock::now());
  end.at = std::chrono::system_clock::now();
  calls_.went_wrong(LastError{"its process " + end.how + words_for_printed(end.printed), end.at});
  // After that, so that whoever has the error of a call finds there what went wrong.
  if (!end.tells_clients) refuse_calls(std::exchange(end.calls, {}), end.how);
  const auto next = !delay ? State::given_up : delay->count() > 0 ? State::backoff : State::starting;
  std::vector<CallTable::Admitted> waiting;
  {
    // Before anybody is told that it was given up.
    const MutexLock lock(mutex_);
    if (state_ != State::stopped) {
      state_ = next;
      if (next != State::starting) waiting = calls_.all_waiting();
    }
  }
  // Before it starts, so that this is told before its start is.
  auto traces = std::exchange(end.traces, {});
  telling_.once_readable(std::move(traces),
                         [this, end, delay](const ReadableStacks& stacks) { tell_crash(end, delay, stacks); });
  {
    const MutexLock lock(mutex_);
    if (delay && state_ != State::stopped) timer_ = workers_.timers().after(*delay, [this] { restart(); });
  }
  for (const auto& [id, call] : waiting) {
    if (call->claim()) calls_.refuse(id, ": its process " + end.how + " before it was given the call");
  }
}

void Supervisor::restart() {
  // Whoever is still telling of the end of the one before has done so then.
  last_channel()->forget();
  if (std::error_code error; !std::filesystem::exists(library_.path(), error)) return miss_library();
  {
    const MutexLock lock(mutex_);
    timer_.reset();
    if (state_ == State::stopped) return;
    state_ = State::starting;
  }
  // Without the lock, because to spawn takes its time and calls come meanwhile.
  auto opened = workers_.open_anew(setup_.file.filename(), *this);
  if (opened.has_error()) {
    const auto& error = opened.error();
    return plan_restart(
        {.how = "could not be started: " + error.message, .running = "nothing", .may_pass = error.may_pass()});
  }
  const auto channel = *std::move(opened);
  bool is_watched = false;
  try {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return;
    adopt(channel);
    is_watched = true;
    ++restarts_;
    limit_start(channel_, Patience(time_of_restart()));
    if (send_query(*channel_, Purpose::restart, begin_query(Purpose::restart))) return;
  } catch (const std::bad_alloc&) {
    if (!is_watched)
      return plan_restart(
          {.how = "could not be watched, because no memory is left", .running = "nothing", .may_pass = true});
  }
  channel->process().explain_end({"could not be sent what it is to load", true});
  channel->process().kill("could not be sent what it is to load");
}

// As long as the plugin had at first, to be loaded, described and started.
std::chrono::milliseconds Supervisor::time_of_restart() const {
  return 3 * workers_.options().answer_time;
}

void Supervisor::limit_start(const std::shared_ptr<WorkerChannel>& channel, Patience patience) {
  timer_ = workers_.timers().after(patience.wait(), [this, late = channel, patience]() mutable {
    if (patience.is_over(is_debugged(late->process()))) {
      const auto time = in_seconds(time_of_restart());
      return end_late(late, "was killed, because it did not become ready within " + time, State::starting);
    }
    const MutexLock lock(mutex_);
    if (channel_ == late && state_ == State::starting) limit_start(late, patience);
  });
}

// Somebody has tidied up among the temporary files.
void Supervisor::miss_library() {
  {
    const MutexLock lock(mutex_);
    timer_.reset();
    if (state_ == State::stopped) return;
    state_ = State::given_up;
  }
  calls_.fail_all("its process has ended and its library is gone; it is loaded again");
  auto why = fail_for_now("its process has ended, and " + library_.path().string() + " is gone");
  if (setup_.events.gave_up) setup_.events.gave_up(std::move(why));
}

}  // namespace mcph
