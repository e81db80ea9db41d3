#include "sources/upstream/upstream_plugin.hpp"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "base/json_members.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "plugin/answer_in_stead.hpp"
#include "plugin/names.hpp"
#include "telemetry/log_events.hpp"

namespace mcph {
namespace {

using std::chrono::milliseconds;

// Between two listings of an upstream that says that it has changed; one that takes long waits for longer.
constexpr milliseconds list_interval{250};
constexpr int list_share = 4;
// After one that failed; where it will not pass by itself, up to so many times as long.
constexpr milliseconds list_again_interval{5000};
constexpr unsigned max_list_again = 6;
// Between two looks at what clients are subscribed to.
constexpr milliseconds subscriptions_interval{50};
// After one that is stale, of an upstream that does not tell of its changes.
constexpr milliseconds min_ttl{30'000};
constexpr int ttl_share = 50;
constexpr std::chrono::hours max_ttl{24 * 365};
constexpr milliseconds ping_interval{30'000};
// Between two looks whether it is another server by now.
constexpr milliseconds look_interval{2000};
// Until something else is looked at.
constexpr milliseconds idle_look{10'000};
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

std::string version_of(const UpstreamPeer& peer) {
  return is_version(peer.version) ? peer.version : "unknown";
}

}  // namespace

UpstreamPlugin::UpstreamPlugin(Setup setup, Executor& executor, Timers& timers, Log& log)
    : setup_(std::move(setup)),
      identity_(setup_.identity),
      log_(
          log, max_lines_of_plugin,
          [this](Log& unlimited, const RateLimitedLog::LeftOut& left_out) {
            unlimited.warning("plugin says too much", {{"plugin", identity_.name}, {"lines_left_out", left_out.lines}});
          }),
      limit_reports_(log_, identity_),
      described_(std::make_shared<const UpstreamDescription>()),
      subscriptions_(setup_.settings.names),
      policy_(restarts_of(setup_.settings)),
      is_legacy_(setup_.settings.is_legacy),
      calls_({identity_, setup_.settings.limits, setup_.events, limit_reports_, executor, &timers}, log_,
             [this](const UpstreamOutcome& outcome) { request_failed(outcome); }) {}

UpstreamPlugin::~UpstreamPlugin() {
  stop(milliseconds(0));
}

Result<std::string> UpstreamPlugin::describe() {
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

void UpstreamPlugin::give_up_first_connection() {
  const MutexLock lock(mutex_);
  if (first_) return;
  state_ = State::stopped;
  changed_.notify_all();
}

// What is left out of its resources may still be what a template of its own stands for.
void UpstreamPlugin::invoke(std::shared_ptr<Call> call) {
  const auto uri = call->method() == PluginMethod::resources_read
                       ? json_string(json_member(call->params(), "uri").value_or(""))
                       : std::nullopt;
  if (!uri || !setup_.settings.names.excludes(ComponentPattern::Kind::resource, *uri))
    return calls_.invoke(std::move(call));
  const Json error{{"code", upstream_code::resource_not_found}, {"message", "Resource not found: " + *uri}};
  call->complete(Outcome::error, dump(error));
}

std::vector<std::string> UpstreamPlugin::remarks() const {
  const MutexLock lock(mutex_);
  auto remarks = described_->remarks;
  if (!sandbox_lacks_.empty()) remarks.push_back(words_for_lacks(sandbox_lacks_));
  return remarks;
}

PluginStatus UpstreamPlugin::status() const {
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

void UpstreamPlugin::call_failed(std::string why) {
  {
    // While it is down, why that is is worth more to the operator.
    const MutexLock lock(mutex_);
    if (state_ == State::backoff || state_ == State::given_up) why.clear();
  }
  calls_.table().failed(std::move(why));
}

bool UpstreamPlugin::stop(milliseconds patience) {
  std::shared_ptr<UpstreamClient> opening;
  std::shared_ptr<const UpstreamLink> served;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped && !keeper_.joinable()) return true;
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
  return true;
}

void UpstreamPlugin::subscriptions_changed(const SubscriptionChanges& changes) {
  bool are_too_many = false;
  {
    const MutexLock lock(mutex_);
    are_too_many = subscriptions_.change(changes);
    subscriptions_changed_ = true;
    changed_.notify_all();
  }
  if (are_too_many)
    log_.warning("too many subscriptions",
                 {{"plugin", identity_.name}, {"told_of", UpstreamSubscriptions::max_watched}});
}

// ---- The keeper.

void UpstreamPlugin::wake_keeper() {
  const MutexLock lock(mutex_);
  changed_.notify_all();
}

bool UpstreamPlugin::is_stopping() const {
  const MutexLock lock(mutex_);
  return state_ == State::stopped;
}

// A connection may end before it is served: what waits is for the next one.
bool UpstreamPlugin::has_ended() const {
  const MutexLock lock(mutex_);
  return ended_.has_value();
}

// What it says may take more memory than there is, and a fault in how it is read must not end the host.
void UpstreamPlugin::keep() {
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

bool UpstreamPlugin::keep_connected() {
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
bool UpstreamPlugin::begin_anew(const std::exception_ptr& failed) {
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

bool UpstreamPlugin::fail_first(Error why) {
  const MutexLock lock(mutex_);
  if (first_) return false;
  why.message += last_words();
  first_ = Result<>(std::move(why));
  state_ = State::given_up;
  changed_.notify_all();
  return true;
}

// Often what it has printed last alone says why. For the operator: it may have secrets in it.
std::string UpstreamPlugin::last_words() {
  const auto lines = last_lines_.take();
  return lines.empty() ? "" : "; it printed last: " + lines;
}

Result<UpstreamLink> UpstreamPlugin::open() {
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

UpstreamPlugin::ConnectionEvents UpstreamPlugin::events_of_connection() {
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

Result<UpstreamLink> UpstreamPlugin::open(bool probes) {
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
  const auto why = ready.has_error() ? ready.error() : fail_for_now("it is being stopped");
  client->close();
  client->forget(why);
  client->transport().wait_until_closed(milliseconds(0));
  return why;
}

Result<> UpstreamPlugin::list(const UpstreamLink& link) {
  // What it once had is not given up for one failure.
  std::optional<std::set<UpstreamList>> may_fail;
  {
    const MutexLock lock(mutex_);
    if (has_listed_) may_fail = described_->failed;
  }
  stale_at_ = Clock::time_point::max();
  const auto begin = Clock::now();
  auto lists = link.client->list(link.peer, setup_.settings.connect_time, may_fail);
  if (lists.has_error()) return lists.error();
  const auto end = Clock::now();
  // One that wants to be asked all the time has the more of that the less it takes.
  const auto least = std::max<Clock::duration>(min_ttl, ttl_share * (end - begin));
  if (lists->ttl && *lists->ttl < max_ttl) stale_at_ = end + std::max<Clock::duration>(*lists->ttl, least);
  auto description =
      std::make_shared<const UpstreamDescription>(describe_upstream(*std::move(lists), setup_.settings.names));
  calls_.describe(description);
  note_listing(!description->failed.empty(), end);
  const MutexLock lock(mutex_);
  if (!first_) identity_.version = version_of(link.peer);
  described_ = std::move(description);
  subscriptions_.list(described_->resources);
  has_listed_ = true;
  return {};
}

std::vector<std::string> UpstreamPlugin::watched_resources(const UpstreamPeer& peer) const {
  if (!peer.can("resources", "subscribe")) return {};
  const MutexLock lock(mutex_);
  return subscriptions_.watched();
}

void UpstreamPlugin::serve(const UpstreamLink& link) {
  const auto& peer = link.peer;
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return;
    is_first = !first_.has_value();
    state_ = State::serving;
    link_ = std::make_shared<const UpstreamLink>(link);
    lists_changed_ = lists_changed_ || !is_first;
    is_doubtful_ = may_be_another_ = false;
    if (!is_first) ++restarts_;
    first_ = Result<>();
    changed_.notify_all();
  }
  log_.info("upstream connected", {{"plugin", identity_.name},
                                   {"server", utf8_prefix(peer.name, max_logged_bytes)},
                                   {"version", utf8_prefix(peer.version, max_logged_bytes)},
                                   {"protocol", peer.revision},
                                   {"pid", link.client->transport().process()}});
  if (!peer.is_modern && peer.can("logging"))
    static_cast<void>(link.client->request(peer, Method::logging_set_level, {{"level", "info"}}, [](const auto&) {}));
  if (!has_ended()) calls_.serve(link);
  {
    const MutexLock lock(mutex_);
    opening_ = nullptr;
  }
  const auto now = Clock::now();
  listening_ = make_listening(link, [this] { wake_keeper(); });
  list_at_ = now;
  ping_at_ = now + ping_interval;
  listen(peer);
  if (!is_first) tell_of_gap(peer);
}

void UpstreamPlugin::listen(const UpstreamPeer& peer) {
  if (listening_->listen(watched_resources(peer))) list_after_gap();
}

void UpstreamPlugin::listen_again(const UpstreamPeer& peer) {
  if (listening_->listen_again(watched_resources(peer))) list_after_gap();
  // In the legacy era it is about single resources that it could not be asked for.
  if (peer.is_modern) tell_of_gap(peer);
}

// It may have told nobody that a resource has been updated.
void UpstreamPlugin::tell_of_gap(const UpstreamPeer& peer) {
  if (!setup_.events.resource_updated || !peer.can("resources", "subscribe")) return;
  const auto uris = [this] {
    const MutexLock lock(mutex_);
    return subscriptions_.subscribed();
  }();
  for (const auto& uri : uris)
    setup_.events.resource_updated(uri);
}

// Of what has changed since it was listed it has told nobody. By then it listens, so that nothing falls between the
// two.
void UpstreamPlugin::list_after_gap() {
  list_at_ = std::max(list_at_, Clock::now() + list_interval);
  const MutexLock lock(mutex_);
  lists_changed_ = true;
}

void UpstreamPlugin::serve_until_down(const UpstreamLink& link) {
  serve(link);
  for (;;) {
    const auto now = Clock::now();
    attend(link, now);
    MutexLock lock(mutex_);
    if (state_ == State::stopped) return;
    if (ended_) break;
    auto until = std::min({ping_at_, Clock::now() + idle_look, std::max(stale_at_, list_at_)});
    if (lists_changed_) until = std::min(until, list_at_);
    if (const auto due = listening_->due()) until = std::min(until, *due);
    if (may_be_another_) until = std::min(until, look_at_);
    if (subscriptions_changed_) until = std::min(until, listen_at_);
    if (!is_doubtful_ && Clock::now() < until) changed_.wait_until(lock, until);
    if (ended_) break;
  }
  const auto why = [this] {
    const MutexLock lock(mutex_);
    return *ended_;
  }();
  close(link, why);
}

void UpstreamPlugin::attend(const UpstreamLink& link, Clock::time_point now) {
  bool lists = false;
  bool pings = false;
  bool looks = false;
  bool listens = false;
  {
    const MutexLock lock(mutex_);
    if (ended_ || state_ == State::stopped) return;
    listens = subscriptions_changed_ && now >= listen_at_;
    if (listens) subscriptions_changed_ = false;
    lists = (lists_changed_ || now >= stale_at_) && now >= list_at_;
    if (lists) lists_changed_ = false;
    // One that works may not come to answer.
    pings = std::exchange(is_doubtful_, false) || (now >= ping_at_ && calls_.is_idle());
    looks = may_be_another_ && now >= look_at_;
    if (looks) may_be_another_ = false;
  }
  if (pings || looks) {
    const auto alive = link.client->ping(link.peer, setup_.settings.connect_time);
    // Of one that is only looked at, it is no matter that it is busy.
    if (alive.has_error() && (pings || !alive.error().may_pass())) return lost(alive.error());
    look_at_ = Clock::now() + look_interval;
  }
  if (pings || now >= ping_at_) ping_at_ = Clock::now() + ping_interval;
  if (lists) list_again(link);
  if (listens) {
    listen(link.peer);
    listen_at_ = Clock::now() + subscriptions_interval;
  }
  if (const auto due = listening_->due(); due && now >= *due) listen_again(link.peer);
  calls_.expire_input_requests(now);
}

// What failed is asked for again, less and less often.
void UpstreamPlugin::note_listing(bool has_failed, Clock::time_point end) {
  failed_listings_ = has_failed ? std::min(failed_listings_ + 1, max_list_again) : 0;
  if (has_failed) stale_at_ = std::min(stale_at_, end + failed_listings_ * list_again_interval);
}

// Whatever came of it, calls that wait for it are made again: they say what is wrong then.
void UpstreamPlugin::list_again(const UpstreamLink& link) {
  list_anew(link);
  calls_.make_again();
}

void UpstreamPlugin::list_anew(const UpstreamLink& link) {
  const auto before = [this] {
    const MutexLock lock(mutex_);
    return described_;
  }();
  const auto begin = Clock::now();
  const auto listed = list(link);
  const auto end = Clock::now();
  list_at_ = end + std::max<Clock::duration>(list_interval, list_share * (end - begin));
  if (listed.has_error()) {
    const MutexLock lock(mutex_);
    if (ended_ || state_ == State::stopped) return;
    // One that is back is asked until it tells.
    if (down_since_ || listed.error().may_pass()) {
      lists_changed_ = true;
      list_at_ = end + list_again_interval;
    } else {
      note_listing(true, end);
    }
    log_.warning("upstream not listed", {{"plugin", identity_.name},
                                         {"reason", listed.error().message},
                                         {"serving", "the components it had before"},
                                         {"next", "it is asked again"}});
    return;
  }
  std::vector<std::string> remarks;
  bool changes = false;
  {
    const MutexLock lock(mutex_);
    changes = std::exchange(withdrawn_, false) || described_->document != before->document;
    if (described_->remarks != before->remarks) remarks = described_->remarks;
  }
  for (const auto& remark : remarks)
    log_.warning("plugin remark", {{"file", identity_.file.string()}, {"remark", remark}});
  if (std::exchange(down_since_, std::nullopt)) log_.info("upstream is back", {{"plugin", identity_.name}});
  if (changes) calls_.table().components_changed();
  listen(link.peer);
}

// Its calls fail because of that.
void UpstreamPlugin::close(const UpstreamLink& link, const Error& why) {
  calls_.hold();
  link.client->close();
  link.client->forget(why);
  calls_.lose(why);
  const MutexLock lock(mutex_);
  if (state_ == State::serving) state_ = State::connecting;
  link_.reset();
}

bool UpstreamPlugin::wait_after(const Error& why) {
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

void UpstreamPlugin::withdraw_after_grace() {
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
void UpstreamPlugin::lost(const Error& why) {
  calls_.hold();
  const MutexLock lock(mutex_);
  if (!ended_) ended_ = why;
  if (state_ == State::serving) state_ = State::connecting;
  changed_.notify_all();
}

void UpstreamPlugin::request_failed(const UpstreamOutcome& outcome) {
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

void UpstreamPlugin::lists_changed() {
  const MutexLock lock(mutex_);
  lists_changed_ = true;
  changed_.notify_all();
}

void UpstreamPlugin::resource_updated(const std::string& uri) {
  {
    const MutexLock lock(mutex_);
    if (!subscriptions_.concerns(uri)) return;
  }
  if (setup_.events.resource_updated) setup_.events.resource_updated(uri);
}

void UpstreamPlugin::misbehaved(std::string_view what) {
  log_.warning("plugin misbehaved", {{"plugin", identity_.name}, {"reason", utf8_prefix(what, max_logged_bytes)}});
}

// Nobody has called anything yet when it asks before it is served.
void UpstreamPlugin::asked(std::optional<RequestId> request, from_upstream::Request input_request) {
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
