// How a worker's process ends, and the next one begins.
#include <set>
#include <utility>

#include "base/in_seconds.hpp"
#include "plugin/answer_in_stead.hpp"
#include "plugin/isolated/supervisor.hpp"
#include "plugin/limit_reports.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

using namespace std::string_literals;

constexpr std::size_t max_names = 8;

constexpr std::string_view good_end = "exited with status 0";

// After anything that is said of the end of a process.
std::string words_for_printed(const std::string& lines) {
  return lines.empty() ? lines : "; it printed last: " + lines;
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
  end_late(running, "was killed, because " + words_for_late_call(late, setup_.limits) +
                        " and did not heed its cancellation");
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
  const auto how = reports_.end(end.how);
  const auto printed = reports_.last_lines();
  told_of_debugger_ = false;
  State state{};
  QueryId query = 0;
  auto what = "its process " + how;
  {
    const MutexLock lock(mutex_);
    state = state_;
    is_ending_ = false;
    if (state != State::stopped) channel_ = nullptr;
    // Calls that come from now on wait for what is decided below.
    if (state == State::serving) state_ = State::starting;
    if (query_) {
      query = query_->id;
      what += words_for(query_->purpose);
    }
    what += words_for_printed(printed);
    end_ = what;
    stop_timer();
    end_cpu_share();
  }
  answered(query, fail(std::move(what)));
  const auto calls = calls_.refuse_given([&how, this](const Call& call, std::size_t count) {
    // Of the call for which it was killed that says all.
    if (how.find("because " + words_for_late_call(call, setup_.limits)) != std::string::npos)
      return ": its process " + how;
    return ": its process " + how + " while it served " + call.component() +
           (count > 1 ? ", one of " + std::to_string(count) + " calls that it had" : ""s);
  });
  if (state == State::serving || state == State::starting) {
    return plan_restart({.how = how,
                         .running = state == State::starting ? "setup, describe or on_start" : names_of(calls),
                         .printed = printed,
                         .failed_calls = calls.size(),
                         .may_pass = end.may_pass});
  }
  if (state == State::stopped && end.how != good_end) {
    log_.error("plugin did not stop well", {{"file", setup_.file.string()},
                                            {"plugin", identity_.name},
                                            {"version", identity_.version},
                                            {"what", "its process " + how},
                                            {"printed", printed.empty() ? "nothing" : printed}});
  }
}

void Supervisor::plan_restart(const End& end) {
  const auto& [how, running, printed, failed_calls, may_pass] = end;
  // What keeps it from starting, and is not its own fault, does not count.
  const auto delay = may_pass ? setup_.restarts.last_delay : policy_.after_crash(RestartPolicy::Clock::now());
  calls_.went_wrong("its process " + how + words_for_printed(printed));
  log_.error(may_pass ? "plugin cannot start" : plugin_crashed,
             {{"file", setup_.file.string()},
              {"plugin", identity_.name},
              {"version", identity_.version},
              {"what", "its process " + how},
              {"printed", printed.empty() ? "nothing" : printed},
              {"running", running},
              {"calls_failed", failed_calls},
              {"next", !delay ? "it is not started again before its file changes or the operator reloads it"
                       : delay->count() > 0 ? "it is started again in " + std::to_string(delay->count()) + " ms"
                                            : "it is started again"}});
  std::vector<CallTable::Admitted> waiting;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return;
    state_ = !delay ? State::given_up : delay->count() > 0 ? State::backoff : State::starting;
    if (state_ != State::starting) waiting = calls_.all_waiting();
    if (delay) timer_ = workers_.timers().after(*delay, [this] { restart(); });
  }
  for (const auto& [id, call] : waiting) {
    if (call->claim()) calls_.refuse(id, ": its process " + how + " before it was given the call");
  }
  if (!delay && setup_.events.gave_up) {
    setup_.events.gave_up(fail("its process " + how + ", and did so too often" + words_for_printed(printed)));
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
  auto opened = workers_.open(setup_.file.filename(), *this);
  if (opened.has_error()) {
    const auto& error = opened.error();
    return plan_restart(
        {.how = "could not be started: " + error.message, .running = "nothing", .may_pass = error.may_pass()});
  }
  const MutexLock lock(mutex_);
  if (state_ == State::stopped) return;
  adopt(*std::move(opened));
  ++restarts_;
  limit_start(channel_, Patience(workers_.options().answer_time));
  if (send_query(*channel_, Purpose::restart, begin_query(Purpose::restart))) return;
  channel_->process().explain_end({"could not be sent what it is to load", true});
  channel_->process().kill("could not be sent what it is to load");
}

void Supervisor::limit_start(const std::shared_ptr<WorkerChannel>& channel, Patience patience) {
  timer_ = workers_.timers().after(patience.wait(), [this, late = channel, patience]() mutable {
    if (patience.is_over(is_debugged(late->process()))) {
      const auto time = in_seconds(workers_.options().answer_time);
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
