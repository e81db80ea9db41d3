// How the process of a WorkerPlugin lives: started, asked, ended where it does not come back, and started anew.
#include <set>
#include <utility>

#include "plugin/isolated/worker_plugin.hpp"
#include "plugin/isolated/worker_setup.hpp"
#include "plugin/refusal.hpp"

namespace mcph {
namespace {

using namespace std::string_literals;

constexpr std::size_t most_names = 8;

constexpr std::string_view good_end = "exited with status 0";

// What it was doing, after "its process ...".
std::string_view words_for(Frame::Kind question) {
  switch (question) {
    case Frame::Kind::load:
      return " while it was loading the plugin and setting it up";
    case Frame::Kind::describe:
      return " while it was describing its components";
    default:
      return " while it was starting (on_start)";
  }
}

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
    if (++count > most_names) return text + " and others";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "no call" : text;
}

}  // namespace

Result<> WorkerPlugin::load() {
  auto spawned = workers_.spawn_and_wait(setup_.file.filename(), *this);
  if (spawned.has_error()) return spawned.error();
  {
    const std::lock_guard lock(mutex_);
    adopt(*std::move(spawned));
  }
  auto answer = ask(Frame::Kind::load, setup_json(false));
  return answer.has_error() ? Result<>(answer.error()) : Result<>();
}

void WorkerPlugin::adopt(std::shared_ptr<WorkerProcess> process) {
  process_ = std::move(process);
  last_process_ = process_;
  process_->begin();
}

std::string WorkerPlugin::setup_json(bool starts) const {
  return WorkerSetup{.library = library_->path(),
                     .file = setup_.file,
                     .digest = setup_.digest,
                     .configuration = setup_.configuration,
                     .data_directory = setup_.data_directory,
                     .limits = setup_.limits,
                     .sandbox = setup_.sandbox,
                     .has_server_info = setup_.server_info != nullptr,
                     .starts = starts}
      .json();
}

WorkerPlugin::Answer WorkerPlugin::ask(Frame::Kind question, std::string_view text) {
  std::shared_ptr<WorkerProcess> process;
  std::future<Answer> answer;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::starting || state_ == State::resting) return fail_for_now("it is being started anew");
    if (process_ == nullptr) return fail(end_);
    process = process_;
    question_.emplace(Question{question, {}});
    answer = question_->answer.get_future();
  }
  if (!process->send({.kind = question, .text = text})) answered(fail_for_now("its process cannot be reached"));
  const auto time = workers_.options().answer_time;
  Patience patience(time);
  while (answer.wait_for(patience.wait()) != std::future_status::ready) {
    if (!patience.is_over(is_debugged(*process))) continue;
    end_late(process, "was killed, because it did not answer within " + in_seconds(time));
    break;
  }
  return answer.get();
}

bool WorkerPlugin::is_debugged(WorkerProcess& process) {
  if (!process.is_debugged()) return false;
  if (!told_of_debugger_.exchange(true)) {
    log_.warning("plugin is being debugged", {{"file", setup_.file.string()},  // it may be about to tell its name
                                              {"pid", process.id()},
                                              {"consequence", "no limit of time counts while its debugger is there"}});
  }
  return true;
}

void WorkerPlugin::answered(Answer answer) {
  std::optional<Question> question;
  {
    const std::lock_guard lock(mutex_);
    question.swap(question_);
  }
  if (question) question->answer.set_value(std::move(answer));
}

std::shared_ptr<WorkerProcess> WorkerPlugin::process() const {
  const std::lock_guard lock(mutex_);
  return process_;
}

void WorkerPlugin::keep_to_cpu_share() {
  if (setup_.limits.cpu_percent == 0) return;
  auto tell = [this] { limit_log_.reached(Limit::cpu_time, words_for_cpu_time(setup_.limits)); };
  cpu_share_ = CpuShare::keep(workers_.timers(), process_, setup_.limits.cpu_percent, std::move(tell));
}

void WorkerPlugin::end_late(const std::shared_ptr<WorkerProcess>& late, std::string why) {
  {
    const std::lock_guard lock(mutex_);
    if (process_ != late || hangs_) return;
    // First, so that it ends whatever else fails. When it has ended, nothing of it is kept for that.
    workers_.timers().after(WorkerProcess::report_time, [weak = std::weak_ptr(late), why] {
      if (const auto process = weak.lock()) process->kill(why);
    });
    hangs_ = true;
    end_cpu_share();  // at rest it would say nothing
  }
  late->report(std::move(why));
}

void WorkerPlugin::left_processes(const ProcessMark::Ended& ended) {
  log_.warning("plugin left processes",
               {who(),
                {"processes", ended.had_left},
                {"consequence", ended.all ? "they were ended with its own, although they had left it"
                                          : "they were ended with its own, but they start others faster than these are "
                                            "found, so that some may be left; end them by hand"}});
}

void WorkerPlugin::process_ended(const std::string& end) {
  const auto how =
      std::exchange(lacked_memory_, false) ? end + ", after " + words_for_lack_of_memory(setup_.limits) : end;
  const auto printed = last_lines_.take();
  is_crashing_ = false;
  tells_place_ = false;
  told_of_debugger_ = false;
  State state{};
  bool may_pass = false;
  auto what = "its process " + how;
  {
    const std::lock_guard lock(mutex_);
    state = state_;
    may_pass = std::exchange(cannot_start_, false);
    hangs_ = false;
    if (state != State::ended) process_ = nullptr;
    // Calls that come from now on wait for what is decided below.
    if (state == State::serving) state_ = State::starting;
    if (question_) what += words_for(question_->kind);
    what += words_for_printed(printed);
    end_ = what;
    stop_timer();
    end_cpu_share();
  }
  answered(fail(std::move(what)));
  const auto calls = calls_.take_claimed();
  const auto others = calls.size() > 1 ? ", one of " + std::to_string(calls.size()) + " calls that it had" : ""s;
  for (const auto& call : calls) {
    refuse(*call,
           "plugin " + identity_.name + ": its process " + how + " while it served " + call->component() + others);
  }
  if (state == State::serving || state == State::starting) {
    return plan_restart({.how = how,
                         .running = state == State::starting ? "setup, describe or on_start" : names_of(calls),
                         .printed = printed,
                         .failed_calls = calls.size(),
                         .may_pass = may_pass});
  }
  if (state == State::ended && end != good_end) {
    log_.error("plugin did not stop well", {{"file", setup_.file.string()},
                                            {"plugin", identity_.name},
                                            {"version", identity_.version},
                                            {"what", "its process " + how},
                                            {"printed", printed.empty() ? "nothing" : printed}});
  }
}

void WorkerPlugin::plan_restart(const End& end) {
  const auto& [how, running, printed, failed_calls, may_pass] = end;
  // What keeps it from starting, and is not its own fault, does not count.
  const auto delay = may_pass ? setup_.restarts.last_delay : policy_.after_crash(RestartPolicy::Clock::now());
  calls_.went_wrong("its process " + how + words_for_printed(printed));
  log_.error(may_pass ? "plugin cannot start" : "plugin crashed",
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
  std::deque<std::uint64_t> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::ended) return;
    state_ = !delay ? State::given_up : delay->count() > 0 ? State::resting : State::starting;
    if (state_ != State::starting) waiting.swap(waiting_);
    if (delay) timer_ = workers_.timers().after(*delay, [this] { restart(); });
  }
  for (const auto id : waiting) {
    const auto call = calls_.find(id);
    if (call != nullptr && call->claim() && calls_.take(id) != nullptr) {
      refuse(*call, "plugin " + identity_.name + ": its process " + how + " before it was given the call");
    }
  }
  if (!delay && setup_.events.gave_up) {
    setup_.events.gave_up(fail("its process " + how + ", and did so too often" + words_for_printed(printed)));
  }
}

void WorkerPlugin::restart() {
  // Whoever is still telling of the end of the one before has done so then.
  last_process_->forget();
  if (std::error_code error; !std::filesystem::exists(library_->path(), error)) return miss_library();
  {
    const std::lock_guard lock(mutex_);
    timer_.reset();
    if (state_ == State::ended) return;
    state_ = State::starting;
  }
  // Without the lock, because to spawn takes its time and calls come meanwhile.
  auto spawned = workers_.spawn(setup_.file.filename(), *this);
  if (spawned.has_error()) {
    const auto& error = spawned.error();
    return plan_restart(
        {.how = "could not be started: " + error.message, .running = "nothing", .may_pass = error.may_pass});
  }
  const std::lock_guard lock(mutex_);
  if (state_ == State::ended) return;
  adopt(*std::move(spawned));
  ++restarts_;
  limit_start(process_, Patience(workers_.options().answer_time));
  process_->send({.kind = Frame::Kind::load, .text = setup_json(true)});
}

void WorkerPlugin::limit_start(const std::shared_ptr<WorkerProcess>& process, Patience patience) {
  timer_ = workers_.timers().after(patience.wait(), [this, late = process, patience]() mutable {
    if (patience.is_over(is_debugged(*late))) {
      const auto time = in_seconds(workers_.options().answer_time);
      return end_late(late, "was killed, because it did not become ready within " + time);
    }
    const std::lock_guard lock(mutex_);
    if (process_ == late && state_ == State::starting) limit_start(late, patience);
  });
}

// Somebody has tidied up among the temporary files.
void WorkerPlugin::miss_library() {
  {
    const std::lock_guard lock(mutex_);
    timer_.reset();
    if (state_ == State::ended) return;
    state_ = State::given_up;
  }
  fail_all("its process has ended and its library is gone; it is loaded again");
  auto why = fail_for_now("its process has ended, and " + library_->path().string() + " is gone");
  if (setup_.events.gave_up) setup_.events.gave_up(std::move(why));
}

void WorkerPlugin::end_cpu_share() {
  if (cpu_share_ != nullptr) std::exchange(cpu_share_, nullptr)->end();
}

void WorkerPlugin::stop_timer() {
  if (timer_) workers_.timers().cancel(*std::exchange(timer_, std::nullopt));
}

}  // namespace mcph
