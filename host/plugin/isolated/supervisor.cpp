#include "plugin/isolated/supervisor.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/in_seconds.hpp"
#include "plugin/description.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_reason_bytes = 4096;  // of what a worker gives as a reason
// Of a description with the identity that may come with it.
constexpr std::size_t max_ready_bytes = max_description_bytes + (std::size_t{64} << 10);
// For a plugin whose calls had to be answered in its stead: they would hold up its stop for as long as it may take.
constexpr std::chrono::milliseconds stuck_patience{500};

}  // namespace

Supervisor::Supervisor(const Surroundings& surroundings, Owner& owner)
    : identity_(surroundings.identity),
      setup_(surroundings.setup),
      library_(surroundings.library),
      workers_(surroundings.workers),
      log_(surroundings.log),
      limit_reports_(surroundings.limit_reports),
      calls_(surroundings.calls),
      owner_(owner),
      reports_(log_, limit_reports_, calls_, identity_, setup_),
      policy_(setup_.restarts),
      telling_(workers_.crash_thread(), workers_.symbolizer(), library_, setup_.file.filename().string(), log_) {}

Result<> Supervisor::load() {
  // What has a sandbox is not to know where the code of others lies.
  const bool may_be_forked = setup_.sandbox.profile == SandboxProfile::none;
  auto opened = workers_.open_and_wait(setup_.file.filename(), *this, may_be_forked);
  if (opened.has_error()) return opened.error();
  {
    const MutexLock lock(mutex_);
    adopt(*std::move(opened));
  }
  const auto answer = ask(Purpose::load);
  return answer.has_error() ? Result<>(answer.error()) : Result<>();
}

Result<std::string> Supervisor::describe() {
  auto description = ask(Purpose::describe);
  if (description.has_error()) return description;
  const MutexLock lock(mutex_);
  description_ = *description;
  return description;
}

Result<> Supervisor::start() {
  const auto started = ask(Purpose::start);
  if (started.has_error()) return started.error();
  const MutexLock lock(mutex_);
  if (channel_ == nullptr) return fail(end_);  // it has died since it said so
  state_ = State::serving;
  keep_to_cpu_share();
  return {};
}

void Supervisor::stop(std::chrono::milliseconds patience) {
  std::shared_ptr<WorkerChannel> channel;
  {
    const MutexLock lock(mutex_);
    state_ = State::stopped;
    channel.swap(channel_);
    stop_timer();
    end_cpu_share();
  }
  workers_.timers().wait_for_running();
  if (channel != nullptr) {
    channel->send(to_worker::Stop{});
    channel->wait_for_end(calls_.has_given_up() ? std::min(patience, stuck_patience) : patience);
  }
  // Another thread may still be telling of the end of one that has crashed.
  if (const auto last = last_channel()) last->forget();
  telling_.wait();
}

void Supervisor::end() {
  {
    const MutexLock lock(mutex_);
    state_ = State::stopped;
    stop_timer();
    end_cpu_share();
  }
  workers_.timers().wait_for_running();
  const auto last = last_channel();
  if (last == nullptr) return;
  last->forget();
  last->process().kill("is not needed any more");
  telling_.wait();
}

Supervisor::Route Supervisor::route(CallId call) {
  const MutexLock lock(mutex_);
  if (state_ == State::starting || (state_ == State::serving && is_ending_)) {
    calls_.wait(call);
    return {};
  }
  if (state_ == State::serving) return {channel_, {}};
  if (state_ != State::backoff) return {nullptr, " is not running; the log says why"};
  return {nullptr, " has crashed or could not start, and is started again soon; try again in a while"};
}

std::shared_ptr<WorkerChannel> Supervisor::channel() const {
  const MutexLock lock(mutex_);
  return channel_;
}

std::shared_ptr<WorkerChannel> Supervisor::last_channel() const {
  const MutexLock lock(mutex_);
  return last_channel_;
}

PluginStatus Supervisor::status() const {
  PluginStatus status;
  const MutexLock lock(mutex_);
  status.pid = channel_ == nullptr ? 0 : channel_->process().id();
  status.restarts = restarts_;
  switch (state_) {
    case State::loaded:
    case State::starting:
      status.state = PluginState::starting;
      break;
    case State::serving:
      status.state = PluginState::serving;
      break;
    case State::backoff:
      status.state = PluginState::backoff;
      break;
    case State::given_up:
    case State::stopped:
      status.state = PluginState::ended;
      break;
  }
  return status;
}

void Supervisor::adopt(std::shared_ptr<WorkerChannel> channel) {
  channel->begin();  // first, because it may find no memory; what it tells waits for the lock
  channel_ = std::move(channel);
  last_channel_ = channel_;
  has_changed_since_ = false;
}

std::string Supervisor::setup_json(bool starts) const {
  return WorkerSetup{.library = library_.path(),
                     .file = setup_.file,
                     .digest = setup_.digest,
                     .bundle = setup_.bundle,
                     .configuration = setup_.configuration,
                     .data_directory = setup_.data_directory,
                     .limits = setup_.limits,
                     .sandbox = setup_.sandbox,
                     .has_server_info = setup_.server_info != nullptr,
                     .has_store = setup_.store != nullptr,
                     .starts = starts}
      .json();
}

std::string_view Supervisor::words_for(Purpose purpose) {
  switch (purpose) {
    case Purpose::load:
      return " while it was loading the plugin and setting it up";
    case Purpose::describe:
      return " while it was describing its components";
    case Purpose::start:
      return " while it was starting (on_start)";
    case Purpose::restart:
      return "";
  }
  return "";
}

QueryId Supervisor::begin_query(Purpose purpose) {
  auto& query = query_.emplace(Query{++last_query_, purpose});
  if (purpose == Purpose::restart) query.answer.reset();
  return last_query_;
}

bool Supervisor::send_query(WorkerChannel& channel, Purpose purpose, QueryId query) const {
  switch (purpose) {
    case Purpose::load:
      return channel.send(to_worker::Load{query, setup_json(false)});
    case Purpose::describe:
      return channel.send(to_worker::Describe{query});
    case Purpose::start:
      return channel.send(to_worker::Start{query});
    case Purpose::restart:
      return channel.send(to_worker::Load{query, setup_json(true)});
  }
  return false;
}

Supervisor::Answer Supervisor::ask(Purpose purpose) {
  std::shared_ptr<WorkerChannel> channel;
  std::future<Answer> answer;
  QueryId query = 0;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::starting || state_ == State::backoff) return fail_for_now("it is being started anew");
    // Whoever has given it up tells it.
    if (channel_ == nullptr) return state_ == State::given_up ? fail_for_now(end_) : fail(end_);
    channel = channel_;
    query = begin_query(purpose);
    answer = query_->answer->get_future();
  }
  if (!send_query(*channel, purpose, query)) answered(query, fail_for_now("its process cannot be reached"));
  const auto time = workers_.options().answer_time;
  Patience patience(time);
  while (answer.wait_for(patience.wait()) != std::future_status::ready) {
    if (!patience.is_over(is_debugged(channel->process()))) continue;
    end_late(channel, "was killed, because it did not answer within " + in_seconds(time));
    break;
  }
  return answer.get();
}

void Supervisor::answered(QueryId query, Answer answer) {
  std::optional<Query> open;
  {
    const MutexLock lock(mutex_);
    if (query_ && query_->id == query) open.swap(query_);
  }
  if (open && open->answer) open->answer->set_value(std::move(answer));
}

void Supervisor::message_came(const to_host::Message& message) {
  try {
    std::visit(
        [&](const auto& each) {
          using Message = std::decay_t<decltype(each)>;
          if constexpr (WorkerReports::takes<Message>) {
            reports_.take(each);
          } else if constexpr (takes<Message>) {
            take(each);
          } else {
            take_other(message);
          }
        },
        message);
  } catch (const std::exception& error) {
    log_.error("host function failed", {{"plugin", identity_.name}, {"reason", error.what()}});
  }
}

void Supervisor::take_other(const to_host::Message& message) {
  owner_.message_came(message, *last_channel());
}

bool Supervisor::long_message_came(const to_host::LongMessage& message) {
  try {
    using Kind = to_host::LongMessage::Kind;
    if (message.kind != Kind::completed) return wants_description(message);
    if (calls_.find(message.id) == nullptr) return false;  // it has been answered in the plugin's stead
    if (message.bytes <= setup_.limits.result_bytes) return true;
    calls_.refuse_large(message.id, message.bytes);
    return false;
  } catch (const std::exception& error) {
    log_.error("host function failed", {{"plugin", identity_.name}, {"reason", error.what()}});
    return false;
  }
}

// What has not been asked for is not read: the host would pay for what costs the plugin nothing.
bool Supervisor::wants_description(const to_host::LongMessage& message) {
  const MutexLock lock(mutex_);
  if (is_ending_ || channel_ == nullptr) return false;
  const bool describes = query_ && query_->id == message.id &&
                         (query_->purpose == Purpose::describe || query_->purpose == Purpose::restart);
  if (message.kind == to_host::LongMessage::Kind::ready && describes && message.bytes <= max_ready_bytes) return true;
  channel_->process().kill("was killed, because it sent a long text that nobody had asked for");
  return false;
}

void Supervisor::take(const to_host::Ready& ready) {
  std::optional<Purpose> purpose;
  std::shared_ptr<WorkerChannel> restarted;
  std::vector<CallTable::Admitted> waiting;
  bool changed = false;
  {
    const MutexLock lock(mutex_);
    if (is_ending_ || channel_ == nullptr) return;
    if (query_ && query_->id == ready.query) purpose = query_->purpose;
    if (!purpose) return channel_->process().kill("was killed, because it answered what nobody had asked");
    if (purpose == Purpose::restart) {
      query_.reset();
      state_ = State::serving;
      keep_to_cpu_share();
      stop_timer();
      restarted = channel_;
      waiting = calls_.all_waiting();
      changed = has_changed_since_ || description_ != ready.description;
    }
  }
  if (restarted != nullptr) {
    telling_.in_turn([this, pid = restarted->process().id()] {
      log_.info("plugin restarted", {{"file", identity_.file.string()},
                                     {"plugin", identity_.name},
                                     {"version", identity_.version},
                                     {"pid", pid}});
    });
    for (const auto& call : waiting)
      owner_.give(*restarted, call);
    if (changed) calls_.components_changed();
    return;
  }
  if (purpose != Purpose::load) return answered(ready.query, std::string(ready.description));
  auto identity = WorkerIdentity::read(ready.identity);
  // The name was checked in the worker already; one that comes without has been tampered with.
  if (identity.has_error()) return answered(ready.query, fail("its process does not say who it is"));
  owner_.identified(*std::move(identity));
  answered(ready.query, std::string());
}

void Supervisor::take(const to_host::Failed& failed) {
  std::string why(failed.why.substr(0, max_reason_bytes));
  {
    const MutexLock lock(mutex_);
    if (is_ending_ || channel_ == nullptr) return;
    auto& process = channel_->process();
    if (!query_ || query_->id != failed.query) {
      return process.kill("was killed, because it answered what nobody had asked");
    }
    if (query_->purpose == Purpose::restart) {
      // It may have ended by itself by now.
      process.explain_end({"could not start the plugin: " + why, failed.may_pass});
      return process.kill("could not start the plugin");
    }
  }
  answered(failed.query, failed.may_pass ? fail_for_now(std::move(why)) : fail(std::move(why)));
}

void Supervisor::take(const to_host::ComponentsChanged& /*changed*/) {
  {
    const MutexLock lock(mutex_);
    // It cannot be described before it is ready, and is then told to have changed.
    if (state_ == State::starting) {
      has_changed_since_ = true;
      return;
    }
  }
  calls_.components_changed();
}

void Supervisor::line_printed(std::string_view line) {
  reports_.printed(line);
}

void Supervisor::left_processes(const ProcessMark::Ended& ended) {
  reports_.left_processes(ended);
}

}  // namespace mcph
