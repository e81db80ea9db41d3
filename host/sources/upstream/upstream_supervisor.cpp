#include "sources/upstream/upstream_supervisor.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/utf8.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

using std::chrono::milliseconds;

// After what the keeper was at could not be done.
constexpr milliseconds pause_after_fault{100};
// For a process to end by itself, after its connection; then by a signal.
constexpr milliseconds goodbye_time{1000};

RestartPolicy::Limits restarts_of(const UpstreamSettings& settings) {
  auto limits = settings.restarts;
  // A server elsewhere may be away for as long as it likes.
  if (!settings.is_process()) limits.crashes = 0;
  return limits;
}

// What servers say that have been replaced by one of the other era: of revisions and headers, or of a session.
bool is_about_revision(const UpstreamOutcome& outcome) {
  if (const auto* const failure = std::get_if<UpstreamFailure>(&outcome))
    return failure->status == 400 || failure->status == 404 || failure->status == 405;
  const auto& error = std::get<UpstreamError>(outcome);
  return is_modern_error(error) || is_legacy_refusal(error);
}

}  // namespace

UpstreamSupervisor::UpstreamSupervisor(const Setup& setup, PluginIdentity& identity, UpstreamCalls& calls,
                                       RateLimitedLog& log, LimitReports& limit_reports)
    : setup_(setup),
      identity_(identity),
      calls_(calls),
      log_(log),
      limit_reports_(limit_reports),
      described_(std::make_shared<const UpstreamDescription>()),
      subscriptions_(setup_.settings.names),
      policy_(restarts_of(setup_.settings)),
      is_legacy_(setup_.settings.is_legacy) {}

Result<std::string> UpstreamSupervisor::describe() {
  MutexLock lock(mutex_);
  try {
    if (!keeper_.joinable() && state_ != State::stopped) keeper_ = std::thread([this] { keep(); });
  } catch (const std::system_error& error) {
    return fail_for_now(std::string("no thread can be had for it: ") + error.what());
  }
  while (!first_ && state_ != State::stopped)
    changed_.wait(lock);
  if (!first_) return fail_for_now("it is being stopped");
  if (first_->has_error()) return first_->error();
  return withdrawn_ ? std::string("{}") : described_->document;
}

void UpstreamSupervisor::give_up_first_connection() {
  const MutexLock lock(mutex_);
  if (first_) return;
  state_ = State::stopped;
  changed_.notify_all();
}

std::vector<std::string> UpstreamSupervisor::remarks() const {
  const MutexLock lock(mutex_);
  auto remarks = described_->remarks;
  if (!sandbox_lacks_.empty()) remarks.push_back(words_for_lacks(sandbox_lacks_));
  return remarks;
}

PluginStatus UpstreamSupervisor::status() const {
  const MutexLock lock(mutex_);
  PluginStatus status{.pid = link_ ? link_->client->transport().process() : 0,
                      .restarts = restarts_,
                      .calls = calls_.table().summary(),
                      .sandbox = setup_.settings.sandbox.profile,
                      .sandbox_lacks = sandbox_lacks_};
  switch (state_) {
    case State::connecting:
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

void UpstreamSupervisor::stop(milliseconds patience) {
  std::shared_ptr<UpstreamClient> opening;
  std::shared_ptr<const UpstreamLink> served;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped && !keeper_.joinable()) return;
    state_ = State::stopped;
    opening = opening_;
    served = link_;
    changed_.notify_all();
  }
  const auto why = fail_for_now("it is being stopped");
  if (opening != nullptr) opening->close();
  if (opening != nullptr) opening->forget(why);
  if (served) close(*served, why);
  if (served) served->client->transport().wait_until_closed(patience);
  if (keeper_.joinable()) keeper_.join();
  // The keeper may have been about to serve.
  calls_.lose(why);
  calls_.refuse(" has been stopped");
}

bool UpstreamSupervisor::is_away() const {
  const MutexLock lock(mutex_);
  return state_ == State::backoff || state_ == State::given_up;
}

// ---- The keeper.

void UpstreamSupervisor::wake_keeper() {
  const MutexLock lock(mutex_);
  changed_.notify_all();
}

bool UpstreamSupervisor::is_stopping() const {
  const MutexLock lock(mutex_);
  return state_ == State::stopped;
}

// A connection may end before it is served: what waits is for the next one.
bool UpstreamSupervisor::has_ended() const {
  const MutexLock lock(mutex_);
  return ended_.has_value();
}

// What it says may take more memory than there is, and a fault in how it is read must not end the host.
void UpstreamSupervisor::keep() {
  std::exception_ptr failed;
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = failed ? begin_anew(failed) : keep_connected();
      failed = nullptr;
    } catch (const std::exception&) {
      failed = std::current_exception();
      MutexLock lock(mutex_);
      if (state_ != State::stopped) changed_.wait_for(lock, pause_after_fault);
    }
  }
}

bool UpstreamSupervisor::keep_connected() {
  if (is_stopping()) return false;
  auto opened = open();
  if (opened.has_error()) return !fail_first(opened.error()) && wait_after(opened.error());
  serve_until_down(*opened);
  const bool stops = is_stopping();
  if (stops) close(*opened, fail_for_now("it is being stopped"));
  listening_.reset();
  // Until it has ended, its process tells this object what it prints.
  if (setup_.settings.is_process()) opened->client->transport().wait_until_closed(goodbye_time);
  if (stops) return false;
  const auto why = [this] {
    const MutexLock lock(mutex_);
    return ended_ ? *ended_ : fail_for_now("its connection has ended");
  }();
  return wait_after(why);
}

// The connection ends, as if the upstream had ended it.
bool UpstreamSupervisor::begin_anew(const std::exception_ptr& failed) {
  auto why = fail_for_now("this host cannot keep it connected now: ");
  try {
    std::rethrow_exception(failed);
  } catch (const std::exception& error) {
    why.message += error.what();
  }
  std::shared_ptr<UpstreamClient> opening;
  std::shared_ptr<const UpstreamLink> served;
  {
    const MutexLock lock(mutex_);
    opening = opening_;
    served = link_;
  }
  if (served) {
    close(*served, why);
  } else if (opening) {
    opening->close();
    opening->forget(why);
  }
  const auto& ending = served ? served->client : opening;
  if (ending) ending->transport().wait_until_closed(goodbye_time);
  listening_.reset();
  {
    const MutexLock lock(mutex_);
    opening_ = nullptr;
  }
  return !fail_first(why) && wait_after(why);
}

bool UpstreamSupervisor::fail_first(Error why) {
  const MutexLock lock(mutex_);
  if (first_) return false;
  why.message += last_words();
  first_ = Result<>(std::move(why));
  state_ = State::given_up;
  changed_.notify_all();
  return true;
}

// Often what it has printed last alone says why. For the operator: it may have secrets in it.
std::string UpstreamSupervisor::last_words() {
  const auto lines = last_lines_.take();
  return lines.empty() ? "" : "; it printed last: " + lines;
}

Result<UpstreamLink> UpstreamSupervisor::open() {
  auto link = open(!is_legacy_);
  bool ended_at_once = false;
  {
    const MutexLock lock(mutex_);
    ended_at_once = ended_.has_value() && setup_.settings.is_process() && state_ != State::stopped;
  }
  // A program that cannot bear to be asked whether it is modern is not.
  if (link.has_error() && ended_at_once && !is_legacy_) link = open(false);
  // What it was may have been replaced.
  if (link.has_error()) is_legacy_ = setup_.settings.is_legacy;
  return link;
}

UpstreamSupervisor::ConnectionEvents UpstreamSupervisor::events_of_connection() {
  return {.printed =
              [this](std::string_view line) {
                if (line.empty()) return;
                log_.info(plugin_output, {{"plugin", identity_.name}, {"text", line}});
                const MutexLock lock(mutex_);
                last_lines_.add(line);
              },
          .sandbox_lacks =
              [this](std::vector<std::string> lacks) {
                const MutexLock lock(mutex_);
                sandbox_lacks_ = std::move(lacks);
              },
          .throttled = [this] { limit_reports_.reached(Limit::cpu_time, words_for_cpu_time(setup_.settings.limits)); }};
}

Result<UpstreamLink> UpstreamSupervisor::open(bool probes) {
  const auto& settings = setup_.settings;
  auto transport = setup_.connect(events_of_connection());
  if (transport.has_error()) return transport.error();
  const auto client =
      std::make_shared<UpstreamClient>(*std::move(transport), static_cast<UpstreamClient::Owner&>(*this));
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return fail_for_now("it is being stopped");
    ended_.reset();
    lists_changed_ = false;  // what is listed from now on counts
    opening_ = client;
  }
  auto peer = client->connect(settings.connect_time, probes);
  UpstreamLink link{client, peer.has_value() ? *peer : UpstreamPeer()};
  auto ready = peer.has_error() ? Result<>(peer.error()) : Result<>();
  // Before the first time nobody waits for a call.
  const auto is_first = [this] {
    const MutexLock lock(mutex_);
    return !first_.has_value();
  }();
  if (ready.has_value() && is_first) ready = list(link);
  bool stopped = false;
  {
    const MutexLock lock(mutex_);
    stopped = state_ == State::stopped;
    if (ready.has_error() || stopped) opening_ = nullptr;
  }
  if (ready.has_value() && !stopped) {
    is_legacy_ = !link.peer.is_modern;
    return link;
  }
  auto why = ready.has_error() ? ready.error() : fail_for_now("it is being stopped");
  client->close();
  client->forget(why);
  client->transport().wait_until_closed(milliseconds(0));
  return why;
}

// Its calls fail because of that.
void UpstreamSupervisor::close(const UpstreamLink& link, const Error& why) {
  calls_.hold();
  link.client->close();
  link.client->forget(why);
  calls_.lose(why);
  const MutexLock lock(mutex_);
  if (state_ == State::serving) state_ = State::connecting;
  link_.reset();
  untold_.clear();
  acknowledged_.reset();
}

bool UpstreamSupervisor::wait_after(const Error& why) {
  const auto delay = policy_.after_crash(Clock::now());
  bool was_up = false;
  std::string told = why.message;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return false;
    told += last_words();
    was_up = !down_since_.has_value();
    state_ = !delay ? State::given_up : delay->count() > 0 ? State::backoff : State::connecting;
  }
  if (was_up) {
    down_since_ = Clock::now();
    log_.error(setup_.settings.is_process() ? plugin_crashed : std::string_view("upstream lost"),
               {{"file", identity_.file.string()},
                {"plugin", identity_.name},
                {"reason", told},
                {"next", delay ? "it is connected to again" : "nothing; it has ended too often"}});
  } else {
    log_.debug("upstream still away", {{"plugin", identity_.name}, {"reason", told}});
  }
  calls_.table().went_wrong(told);
  if (!delay) {
    calls_.refuse(" has ended: " + why.message);
    if (setup_.events.gave_up) setup_.events.gave_up(fail("it ended too often; the last time " + told));
    return false;
  }
  if (delay->count() > 0) calls_.refuse(" is not there: " + why.message + "; it is tried again soon");
  const auto until = Clock::now() + *delay;
  for (;;) {
    withdraw_after_grace();
    const auto now = Clock::now();
    MutexLock lock(mutex_);
    if (state_ == State::stopped) return false;
    if (now >= until) break;
    auto next = until;
    if (!withdrawn_) next = std::min(next, *down_since_ + setup_.settings.grace);
    changed_.wait_until(lock, std::max(next, now + milliseconds(1)));
  }
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return false;
    state_ = State::connecting;
  }
  calls_.hold();
  return true;
}

void UpstreamSupervisor::withdraw_after_grace() {
  if (!down_since_ || Clock::now() < *down_since_ + setup_.settings.grace) return;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(withdrawn_, true)) return;
  }
  log_.warning("upstream withdrawn", {{"plugin", identity_.name},
                                      {"reason", "it has been away for longer than its graceMs"},
                                      {"next", "its components come back with it"}});
  calls_.table().components_changed();
}

// ---- What the connection tells.

// Calls are kept from now on, until it is known what becomes of it. They are so before the keeper learns of it, which
// may serve the next connection at once.
void UpstreamSupervisor::lost(const Error& why) {
  calls_.hold();
  const MutexLock lock(mutex_);
  if (!ended_) ended_ = why;
  if (state_ == State::serving) state_ = State::connecting;
  changed_.notify_all();
}

void UpstreamSupervisor::request_failed(const UpstreamOutcome& outcome) {
  const auto* const failure = std::get_if<UpstreamFailure>(&outcome);
  // It is to be initialized again, which a new connection does.
  if (failure != nullptr && failure->session_is_gone) return lost(failure->error);
  const auto* const error = std::get_if<UpstreamError>(&outcome);
  const bool is_away =
      failure != nullptr && failure->error.may_pass() && !failure->is_refused_for_now() && !failure->was_not_sent();
  // A process stays what it is.
  const bool may_be_another = !setup_.settings.is_process() && is_about_revision(outcome);
  // What its tools want in fields of HTTP has changed.
  const bool is_mismatch =
      error != nullptr && error->code == upstream_code::header_mismatch && !setup_.settings.is_process();
  if (!is_away && !may_be_another && !is_mismatch) return;
  const MutexLock lock(mutex_);
  lists_changed_ = lists_changed_ || is_mismatch;
  is_doubtful_ = is_doubtful_ || is_away;
  may_be_another_ = may_be_another_ || may_be_another;
  changed_.notify_all();
}

void UpstreamSupervisor::misbehaved(std::string_view what) {
  log_.warning("plugin misbehaved", {{"plugin", identity_.name}, {"reason", utf8_prefix(what, max_logged_bytes)}});
}

// Nobody has called anything yet when it asks before it is served.
void UpstreamSupervisor::asked(std::optional<RequestId> request, from_upstream::Request input_request) {
  if (calls_.asked(request, input_request)) return;
  const auto opening = [this] {
    const MutexLock lock(mutex_);
    return opening_;
  }();
  if (opening == nullptr) return;
  if (find_method(input_request.method) == Method::roots_list)
    return opening->answer({}, input_request.id, {{"roots", Json::array()}});
  opening->refuse({}, input_request.id, upstream_code::invalid_request, "no call runs that could ask somebody this");
}

}  // namespace mcph
