#include "plugin/worker_plugin.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "plugin/refusal.hpp"
#include "plugin/worker_setup.hpp"

namespace mcph {
namespace {

using namespace std::string_literals;

// For a plugin whose calls had to be answered in its stead.
constexpr std::chrono::milliseconds stuck_patience{500};

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

Result<std::unique_ptr<WorkerPlugin>> WorkerPlugin::create(std::shared_ptr<const PrivateCopy> library,
                                                           PluginSetup setup, Workers& workers, Log& log) {
  std::unique_ptr<WorkerPlugin> plugin(new WorkerPlugin(std::move(library), std::move(setup), workers, log));
  if (auto loaded = plugin->load(); loaded.has_error()) return loaded.error();
  return plugin;
}

WorkerPlugin::WorkerPlugin(std::shared_ptr<const PrivateCopy> library, PluginSetup setup, Workers& workers, Log& log)
    : library_(std::move(library)),
      setup_(std::move(setup)),
      identity_{setup_.file, {}, {}, setup_.digest},
      workers_(workers),
      log_(log),
      limit_log_(log, identity_),
      policy_(setup_.restarts),
      deadlines_(
          workers.timers(), calls_, {.call = setup_.limits.call_time},
          [this](std::uint64_t, const Call& late) {
            limit_log_.reached(Limit::call_time, words_for_late_call(late.component(), setup_.limits));
          },
          [this](std::uint64_t, const Call& overdue) { end_for(overdue); }) {}

// Of one that was never served, or has been stopped.
WorkerPlugin::~WorkerPlugin() {
  {
    const std::lock_guard lock(mutex_);
    state_ = State::ended;
    stop_timer();
    end_cpu_share();
  }
  workers_.timers().wait_for_running();
  if (last_process_ == nullptr) return;
  last_process_->forget();
  last_process_->kill("is not needed any more");
}

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

void WorkerPlugin::keep_to_cpu_share() {
  if (setup_.limits.cpu_percent == 0) return;
  auto tell = [this] { limit_log_.reached(Limit::cpu_time, words_for_cpu_time(setup_.limits)); };
  cpu_share_ = CpuShare::keep(workers_.timers(), process_, setup_.limits.cpu_percent, std::move(tell));
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

Result<std::string> WorkerPlugin::describe() {
  auto description = ask(Frame::Kind::describe);
  if (description.has_error()) return description;
  const std::lock_guard lock(mutex_);
  description_ = *description;
  return description;
}

Result<> WorkerPlugin::start() {
  auto started = ask(Frame::Kind::start);
  if (started.has_error()) return started.error();
  const std::lock_guard lock(mutex_);
  if (process_ == nullptr) return fail(end_);  // it has died since it said so
  state_ = State::serving;
  keep_to_cpu_share();
  return {};
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
  const auto patience = workers_.options().answer_time;
  if (answer.wait_for(patience) != std::future_status::ready) {
    end_late(process, "was killed, because it did not answer within " + in_seconds(patience));
  }
  return answer.get();
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

void WorkerPlugin::invoke(std::shared_ptr<Call> call) {
  if (calls_.size() >= setup_.limits.waiting_calls) {
    const auto words = words_for_many_calls(setup_.limits);
    limit_log_.reached(Limit::calls_in_flight, words);
    return refuse(*call, "plugin " + identity_.name + " is busy: " + words + "; try again later");
  }
  const auto id = calls_.add(call);
  deadlines_.call_began();
  call->on_cancel([this, id](CancelReason reason) { cancel(id, reason); });
  std::unique_lock lock(mutex_);
  if (state_ == State::serving && !hangs_) {
    const auto process = process_;
    lock.unlock();
    give(*process, id, *call);
    // Others than this one are worth more to the thread than to wait.
    if (calls_.size() == 1) process->look_for_frame();
    return;
  }
  if (state_ == State::starting || hangs_) return waiting_.push_back(id);
  const bool resting = state_ == State::resting;
  lock.unlock();
  if (!call->claim() || calls_.take(id) == nullptr) return;
  refuse(*call, "plugin " + identity_.name +
                    (resting ? " has crashed or could not start, and is started again soon; try again in a while"
                             : " is not running"));
}

void WorkerPlugin::give(WorkerProcess& process, std::uint64_t id, Call& call) {
  if (!call.claim()) return;  // it was cancelled, and has been refused
  const auto method = find_worker_method(call.method());
  const auto context = wants_context_.load(std::memory_order_relaxed) ? call.context() : std::string();
  if (process.send({Frame::Kind::invoke, method.value_or(-1), id, call.params(), context})) return;
  // Where the process has ended, its end may have answered the call already.
  if (calls_.take(id) == nullptr) return;
  refuse(call,
         "the call did not reach plugin " + identity_.name + ": its process has just ended, or no memory is left");
}

void WorkerPlugin::cancel(std::uint64_t id, CancelReason reason) {
  const auto call = calls_.find(id);
  if (call == nullptr) return;
  if (!call->claim()) {
    if (const auto running = process()) running->send({Frame::Kind::cancel, static_cast<std::int32_t>(reason), id});
    return;
  }
  // The plugin has never heard of it, and never will.
  {
    const std::lock_guard lock(mutex_);
    std::erase(waiting_, id);
  }
  if (calls_.take(id) != nullptr) refuse_cancelled(*call, reason, identity_, setup_.limits);
}

void WorkerPlugin::end_for(const Call& late) {
  const auto running = process();
  if (running == nullptr) return;
  end_late(running, "was killed, because " + words_for_late_call(late.component(), setup_.limits) +
                        " and did not heed its cancellation");
}

void WorkerPlugin::end_late(const std::shared_ptr<WorkerProcess>& late, std::string why) {
  {
    const std::lock_guard lock(mutex_);
    if (process_ != late || hangs_) return;
    // First, so that it ends whatever else fails.
    workers_.timers().after(WorkerProcess::report_time, [late, why = std::move(why)] { late->kill(why); });
    hangs_ = true;
    end_cpu_share();  // at rest it would say nothing
  }
  late->report();
}

void WorkerPlugin::cancel_all(CancelReason reason) {
  for (const auto& call : calls_.all())
    call->cancel(reason);
}

std::size_t WorkerPlugin::fail_all(std::string_view why) {
  const auto calls = calls_.give_up_all();
  for (const auto& call : calls) {
    call->claim();  // so that the plugin is not given it any more
    refuse(*call, "plugin " + identity_.name + ": " + std::string(why));
  }
  if (!calls.empty()) has_stuck_calls_ = true;
  return calls.size();
}

PluginStatus WorkerPlugin::status() const {
  PluginStatus status;
  {
    const std::lock_guard lock(mutex_);
    status.pid = process_ == nullptr ? 0 : process_->id();
    status.restarts = restarts_;
    status.state = state_ == State::serving                              ? PluginState::serving
                   : state_ == State::resting                            ? PluginState::resting
                   : state_ == State::given_up || state_ == State::ended ? PluginState::ended
                                                                         : PluginState::starting;
  }
  status.calls = calls_.summary();
  status.sandbox = setup_.sandbox.profile;
  status.sandbox_lacks = sandbox_lacks_;
  return status;
}

bool WorkerPlugin::stop(std::chrono::milliseconds patience) {
  std::shared_ptr<WorkerProcess> process;
  {
    const std::lock_guard lock(mutex_);
    state_ = State::ended;
    process.swap(process_);
    stop_timer();
    end_cpu_share();
  }
  workers_.timers().wait_for_running();
  if (process != nullptr) {
    process->send({.kind = Frame::Kind::stop});
    // Calls that heed nothing would hold up its stop for as long as it may take.
    process->wait_for_end(has_stuck_calls_ ? std::min(patience, stuck_patience) : patience);
  }
  // Another thread may still be telling of the end of one that has crashed.
  if (last_process_ != nullptr) last_process_->forget();
  return true;
}

void WorkerPlugin::process_ended(const std::string& end) {
  const auto how =
      std::exchange(lacked_memory_, false) ? end + ", after " + words_for_lack_of_memory(setup_.limits) : end;
  is_crashing_ = false;
  tells_place_ = false;
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
                         .failed_calls = calls.size(),
                         .may_pass = may_pass});
  }
  if (state == State::ended && end != good_end) {
    log_.error("plugin did not stop well", {{"file", setup_.file.string()},
                                            {"plugin", identity_.name},
                                            {"version", identity_.version},
                                            {"what", "its process " + how}});
  }
}

void WorkerPlugin::plan_restart(const End& end) {
  const auto& [how, running, failed_calls, may_pass] = end;
  // What keeps it from starting, and is not its own fault, does not count.
  const auto delay = may_pass ? setup_.restarts.last_delay : policy_.after_crash(RestartPolicy::Clock::now());
  calls_.went_wrong("its process " + how);
  log_.error(may_pass ? "plugin cannot start" : "plugin crashed",
             {{"file", setup_.file.string()},
              {"plugin", identity_.name},
              {"version", identity_.version},
              {"what", "its process " + how},
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
  if (!delay && setup_.events.gave_up) setup_.events.gave_up(fail("its process " + how + ", and did so too often"));
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
  const auto patience = workers_.options().answer_time;
  timer_ = workers_.timers().after(patience, [this, late = process_, patience] {
    end_late(late, "was killed, because it did not become ready within " + in_seconds(patience));
  });
  process_->send({.kind = Frame::Kind::load, .text = setup_json(true)});
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
