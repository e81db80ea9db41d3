#include "plugin/isolated/worker_plugin.hpp"

#include <algorithm>
#include <utility>

#include "plugin/isolated/worker_setup.hpp"
#include "plugin/refusal.hpp"

namespace mcph {
namespace {

// For a plugin whose calls had to be answered in its stead.
constexpr std::chrono::milliseconds stuck_patience{500};

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
      log_(log, max_lines_of_plugin,
           [this](Log& unlimited, const RateLimitedLog::LeftOut& left_out) {
             unlimited.warning("plugin says too much", {who(), {"lines_left_out", left_out.lines}});
           }),
      limit_log_(log_, identity_),
      changes_(
          std::make_shared<ComponentChanges>(setup_.events.components_changed, workers_.runner(), workers_.timers())),
      policy_(setup_.restarts),
      deadlines_(
          workers.timers(), calls_, {.call = setup_.limits.call_time},
          [this](const Call& late) {
            auto words = words_for_late_call(late.component(), setup_.limits);
            limit_log_.reached(Limit::call_time, words);
            return words;
          },
          [this](std::uint64_t, const Call& overdue) { end_for(overdue); },
          [this] {
            const auto running = this->process();
            return running != nullptr && is_debugged(*running);
          }) {
  calls_.when_empty(setup_.events.calls_ended);
}

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

void WorkerPlugin::cancel_all(CancelReason reason) {
  for (const auto& call : calls_.all())
    call->cancel(reason);
}

std::size_t WorkerPlugin::fail_all(std::string_view why) {
  const auto calls = calls_.give_up_all();
  if (!calls.empty()) has_stuck_calls_ = true;
  const auto answered = calls_.take_all_held();  // the plugin has done its part of these
  refuse_all(calls, identity_, why);
  refuse_all(answered, identity_, why);
  return calls.size() + answered.size();
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

}  // namespace mcph
