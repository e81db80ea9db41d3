#include "sources/upstream/upstream_plugin.hpp"

#include <algorithm>
#include <array>
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
// After one that failed.
constexpr milliseconds list_again_interval{5000};
// Between two subscriptions of one that ends them.
constexpr milliseconds listen_interval{1000};
constexpr milliseconds ping_interval{30'000};
// Until something else is looked at.
constexpr milliseconds idle_look{10'000};
constexpr std::size_t max_subscriptions = 100;
// As many as a plugin may ask at once, and how often.
constexpr std::size_t max_open_questions = 32;
constexpr unsigned max_questions = 256;

constexpr int internal_error = -32603;
constexpr int invalid_params = -32602;
constexpr int no_such_method = -32601;
constexpr int legacy_resource_not_found = -32002;
constexpr int url_elicitation_required = -32042;

RestartPolicy::Limits restarts_of(const UpstreamSettings& settings) {
  auto limits = settings.restarts;
  // A server elsewhere may be away for as long as it likes.
  if (!settings.is_process()) limits.crashes = 0;
  return limits;
}

// What of the caller's capabilities has to do with questions.
std::string asked_capabilities(std::string_view context) {
  std::string some;
  JsonMembers all(json_member(context, "clientCapabilities").value_or("{}"));
  while (all.next()) {
    if (all.key() == "elicitation" || all.key() == "sampling" || all.key() == "roots") all.append_to(some);
  }
  return "{" + some + "}";
}

const char* capability_for(std::string_view method) {
  if (method == "elicitation/create") return "elicitation";
  if (method == "sampling/createMessage") return "sampling";
  return method == "roots/list" ? "roots" : nullptr;
}

std::int32_t severity_of(std::string_view level) {
  constexpr std::array<std::string_view, 8> levels{"debug", "info",     "notice", "warning",
                                                   "error", "critical", "alert",  "emergency"};
  const auto* const found = std::ranges::find(levels, level);
  return found == levels.end() ? 1 : static_cast<std::int32_t>(found - levels.begin());
}

std::string error_text(int code, std::string_view message, const Json& data = nullptr) {
  Json error = {{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = data;
  return dump(error);
}

std::string version_of(const UpstreamPeer& peer) {
  return is_version(peer.version) ? peer.version : "unknown";
}

// The requests of an input_required result that may be passed on: an upstream reads nothing of this host.
std::optional<Json> passed_on_requests(const Json& requests) {
  if (!requests.is_object()) return std::nullopt;
  for (const auto& [name, request] : requests.items()) {
    const auto method = request.is_object() ? request.value("method", Json()) : Json();
    if (!method.is_string() || capability_for(method.get_ref<const std::string&>()) == nullptr) return std::nullopt;
  }
  return requests;
}

// Of the error of 2025-11-25 that asks for visits of web pages before the same is asked again.
std::optional<Json> asked_visits(const Json& data) {
  const auto visits = data.is_object() ? data.value("elicitations", Json()) : Json();
  if (!visits.is_array() || visits.empty()) return std::nullopt;
  Json requests = Json::object();
  for (std::size_t i = 0; i < visits.size(); ++i)
    requests[std::to_string(i + 1)] = {{"method", "elicitation/create"}, {"params", visits[i]}};
  return requests;
}

}  // namespace

UpstreamPlugin::UpstreamPlugin(Setup setup, Executor& executor, Timers& timers, Log& log)
    : setup_(std::move(setup)),
      identity_(setup_.identity),
      executor_(executor),
      log_(
          log, max_lines_of_plugin,
          [this](Log& unlimited, const RateLimitedLog::LeftOut& left_out) {
            unlimited.warning("plugin says too much", {{"plugin", identity_.name}, {"lines_left_out", left_out.lines}});
          }),
      limit_reports_(log_, identity_),
      policy_(restarts_of(setup_.settings)),
      calls_({identity_, setup_.settings.limits, setup_.events, limit_reports_, executor_, &timers}, *this) {}

UpstreamPlugin::~UpstreamPlugin() {
  stop(milliseconds(0));
}

Result<std::string> UpstreamPlugin::describe() {
  MutexLock lock(mutex_);
  if (!keeper_.joinable() && state_ != State::stopped) keeper_ = std::thread([this] { keep(); });
  while (!first_)
    changed_.wait(lock);
  if (first_->has_error()) return first_->error();
  return withdrawn_ ? std::string("{}") : described_.document;
}

std::vector<std::string> UpstreamPlugin::remarks() const {
  const MutexLock lock(mutex_);
  auto remarks = described_.left_out;
  if (!sandbox_lacks_.empty()) remarks.push_back(words_for_lacks(sandbox_lacks_));
  return remarks;
}

PluginStatus UpstreamPlugin::status() const {
  const MutexLock lock(mutex_);
  PluginStatus status{.pid = link_ ? link_->client->transport().process() : 0,
                      .restarts = restarts_,
                      .calls = calls_.summary(),
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
  calls_.failed(std::move(why));
}

bool UpstreamPlugin::stop(milliseconds patience) {
  std::shared_ptr<UpstreamClient> opening;
  std::shared_ptr<const Link> served;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped && !keeper_.joinable()) return true;
    state_ = State::stopped;
    opening = opening_;
    served = std::exchange(link_, nullptr);
    changed_.notify_all();
  }
  const auto why = fail_for_now("it is being stopped");
  if (opening != nullptr) opening->close();
  if (opening != nullptr) opening->forget(why);
  if (served) close(*served, why);
  if (served) served->client->transport().wait_until_closed(patience);
  if (keeper_.joinable()) keeper_.join();
  return true;
}

// ---- The keeper.

bool UpstreamPlugin::is_stopping() const {
  const MutexLock lock(mutex_);
  return state_ == State::stopped;
}

void UpstreamPlugin::keep() {
  while (!is_stopping()) {
    auto opened = open();
    Error why;
    if (opened.has_value()) {
      serve_until_down(*opened);
      {
        const MutexLock lock(mutex_);
        if (state_ == State::stopped) return;
        why = ended_ ? *ended_ : fail_for_now("its connection has ended");
      }
      why = with_last_lines(std::move(why));
    } else {
      why = with_last_lines(opened.error());
      const MutexLock lock(mutex_);
      if (!first_) {
        first_ = Result<>(why);
        state_ = State::given_up;
        changed_.notify_all();
        return;
      }
    }
    if (!wait_after(why)) return;
  }
}

// Often what it has printed last alone says why.
Error UpstreamPlugin::with_last_lines(Error why) {
  const MutexLock lock(mutex_);
  if (const auto lines = last_lines_.take(); !lines.empty()) why.message += "; it printed last: " + lines;
  return why;
}

Result<UpstreamPlugin::Link> UpstreamPlugin::open() {
  auto link = open(!is_legacy_);
  bool ended_at_once = false;
  {
    const MutexLock lock(mutex_);
    ended_at_once = ended_.has_value() && setup_.settings.is_process() && state_ != State::stopped;
  }
  // A program that cannot bear to be asked whether it is modern is not.
  if (link.has_error() && ended_at_once && !is_legacy_) link = open(false);
  // What it was may have been replaced.
  if (link.has_error()) is_legacy_ = false;
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

Result<UpstreamPlugin::Link> UpstreamPlugin::open(bool probes) {
  const auto& settings = setup_.settings;
  auto transport = setup_.connect(events_of_connection());
  if (transport.has_error()) return transport.error();
  const auto client =
      std::make_shared<UpstreamClient>(*std::move(transport), static_cast<UpstreamClient::Owner&>(*this));
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return fail_for_now("it is being stopped");
    ended_.reset();
    opening_ = client;
  }
  auto peer = client->connect(settings.connect_time, probes);
  Link link{client, peer.has_value() ? *peer : UpstreamPeer()};
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
    opening_ = nullptr;
    stopped = state_ == State::stopped;
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

Result<> UpstreamPlugin::list(const Link& link) {
  auto lists = link.client->list(link.peer, setup_.settings.connect_time);
  if (lists.has_error()) return lists.error();
  auto description = describe_upstream(*std::move(lists), setup_.settings.names);
  const MutexLock lock(mutex_);
  if (!first_) identity_.version = version_of(link.peer);
  described_ = std::move(description);
  return {};
}

// Has it tell of changes.
void UpstreamPlugin::listen(const Link& link) {
  const auto& peer = link.peer;
  std::vector<std::string> uris;
  if (peer.can("resources", "subscribe")) {
    const MutexLock lock(mutex_);
    uris = described_.resources;
    if (uris.size() > max_subscriptions) uris.resize(max_subscriptions);
  }
  if (!peer.is_modern) {
    for (const auto& uri : uris)
      static_cast<void>(link.client->request(peer, "resources/subscribe", {{"uri", uri}}, [](const auto&) {}));
    return;
  }
  Json wanted = Json::object();
  for (const auto* const kind : {"tools", "resources", "prompts"}) {
    if (peer.can(kind, "listChanged")) wanted[std::string(kind) + "ListChanged"] = true;
  }
  if (!uris.empty()) wanted["resourceSubscriptions"] = uris;
  if (wanted.empty()) return;
  static_cast<void>(link.client->request(peer, "subscriptions/listen", {{"notifications", wanted}},
                                         [this](const UpstreamOutcome& outcome) {
                                           if (std::holds_alternative<UpstreamError>(outcome)) return;
                                           const MutexLock lock(mutex_);
                                           listens_no_more_ = true;
                                           changed_.notify_all();
                                         }));
}

void UpstreamPlugin::serve(const Link& link) {
  const auto& peer = link.peer;
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return;
    is_first = !first_.has_value();
    state_ = State::serving;
    link_ = std::make_shared<const Link>(link);
    lists_changed_ = !is_first;
    listens_no_more_ = false;
    is_doubtful_ = false;
    if (!is_first) ++restarts_;
    first_ = Result<>();
    changed_.notify_all();
  }
  log_.info("upstream connected", {{"plugin", identity_.name},
                                   {"server", peer.name},
                                   {"version", peer.version},
                                   {"protocol", peer.revision},
                                   {"pid", link.client->transport().process()}});
  if (!peer.is_modern && peer.can("logging"))
    static_cast<void>(link.client->request(peer, "logging/setLevel", {{"level", "info"}}, [](const auto&) {}));
  give_waiting();
  const auto now = Clock::now();
  list_at_ = listen_at_ = now;
  ping_at_ = now + ping_interval;
  if (is_first) listen(link);
}

void UpstreamPlugin::serve_until_down(const Link& link) {
  serve(link);
  for (;;) {
    const auto now = Clock::now();
    attend(link, now);
    MutexLock lock(mutex_);
    if (state_ == State::stopped) return;
    if (ended_) break;
    auto until = std::min(ping_at_, Clock::now() + idle_look);
    if (lists_changed_) until = std::min(until, list_at_);
    if (listens_no_more_) until = std::min(until, listen_at_);
    if (!is_doubtful_ && Clock::now() < until) changed_.wait_until(lock, until);
    if (ended_) break;
  }
  const auto why = [this] {
    const MutexLock lock(mutex_);
    return *ended_;
  }();
  close(link, why);
}

void UpstreamPlugin::attend(const Link& link, Clock::time_point now) {
  bool lists = false;
  bool listens = false;
  bool pings = false;
  {
    const MutexLock lock(mutex_);
    if (ended_ || state_ == State::stopped) return;
    lists = lists_changed_ && now >= list_at_;
    if (lists) lists_changed_ = false;
    listens = listens_no_more_ && now >= listen_at_;
    if (listens) listens_no_more_ = false;
    // One that works may not come to answer.
    pings = std::exchange(is_doubtful_, false) || (now >= ping_at_ && running_ == 0);
  }
  if (pings) {
    if (const auto alive = link.client->ping(link.peer, setup_.settings.connect_time); alive.has_error()) {
      const MutexLock lock(mutex_);
      if (!ended_) ended_ = alive.error();
      return;
    }
  }
  if (pings || now >= ping_at_) ping_at_ = Clock::now() + ping_interval;
  if (lists) list_again(link);
  if (listens) {
    listen_at_ = Clock::now() + listen_interval;
    listen(link);
  }
  expire_questions(now);
}

void UpstreamPlugin::list_again(const Link& link) {
  const auto before = [this] {
    const MutexLock lock(mutex_);
    return std::pair(described_.document, described_.left_out);
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
    }
    log_.error("plugin misbehaved", {{"plugin", identity_.name},
                                     {"reason", "its components changed: " + listed.error().message},
                                     {"serving", "the components it had before"}});
    return;
  }
  std::vector<std::string> left_out;
  bool changes = false;
  {
    const MutexLock lock(mutex_);
    changes = std::exchange(withdrawn_, false) || described_.document != before.first;
    if (described_.left_out != before.second) left_out = described_.left_out;
  }
  for (const auto& remark : left_out)
    log_.warning("plugin remark", {{"file", identity_.file.string()}, {"remark", remark}});
  if (std::exchange(down_since_, std::nullopt)) log_.info("upstream is back", {{"plugin", identity_.name}});
  if (changes) calls_.components_changed();
  listen(link);
}

// Its calls fail because of that. What they had asked is of no use any more.
void UpstreamPlugin::close(const Link& link, const Error& why) {
  link.client->close();
  link.client->forget(why);
  questions_.drop_requests();
  std::vector<std::uint64_t> calls;
  {
    const MutexLock lock(mutex_);
    // A call that comes now waits for what becomes of it.
    if (state_ == State::serving) state_ = State::connecting;
    link_.reset();
    for (const auto& [call, request] : requests_)
      calls.push_back(call);
    requests_.clear();
    given_.clear();
    running_ = 0;
  }
  for (const auto call : calls)
    calls_.refuse(call, ": the call failed, because " + why.message);
}

bool UpstreamPlugin::wait_after(const Error& why) {
  const auto delay = policy_.after_crash(Clock::now());
  std::vector<CallTable::Admitted> refused;
  bool was_up = false;
  {
    const MutexLock lock(mutex_);
    if (state_ == State::stopped) return false;
    was_up = !down_since_.has_value();
    why_down_ = why.message;
    state_ = !delay ? State::given_up : delay->count() > 0 ? State::backoff : State::connecting;
  }
  if (was_up) {
    down_since_ = Clock::now();
    log_.error(setup_.settings.is_process() ? plugin_crashed : std::string_view("upstream lost"),
               {{"plugin", identity_.name},
                {"reason", why.message},
                {"next", delay ? "it is connected to again" : "nothing; it has ended too often"}});
  } else {
    log_.debug("upstream still away", {{"plugin", identity_.name}, {"reason", why.message}});
  }
  calls_.went_wrong(why.message);
  if (!delay || delay->count() > 0) {
    for (const auto& waiting : calls_.all_waiting()) {
      if (waiting.call->claim()) calls_.refuse(waiting.id, " is not there: " + why.message);
    }
  }
  if (!delay) {
    if (setup_.events.gave_up) setup_.events.gave_up(fail("it ended too often; the last time " + why.message));
    return false;
  }
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
  const MutexLock lock(mutex_);
  if (state_ == State::stopped) return false;
  state_ = State::connecting;
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
  calls_.components_changed();
}

void UpstreamPlugin::expire_questions(Clock::time_point now) {
  const auto expired = questions_.take_expired(now);
  const auto current = link();
  for (const auto& each : expired) {
    if (each.request == 0 || !current) continue;
    for (const auto& [name, id] : each.ids)
      current->client->refuse(current->peer, id, internal_error, "nobody has answered in time");
    current->client->cancel(current->peer, each.request, "nobody has answered in time");
    const MutexLock lock(mutex_);
    given_.erase(each.request);
  }
}

// ---- What the connection tells.

void UpstreamPlugin::connection_ended(const Error& why) {
  const MutexLock lock(mutex_);
  if (!ended_) ended_ = why;
  if (state_ == State::serving) state_ = State::connecting;
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
    if (std::ranges::find(described_.resources, uri) == described_.resources.end()) return;
  }
  if (setup_.events.resource_updated) setup_.events.resource_updated(uri);
}

void UpstreamPlugin::misbehaved(std::string_view what) {
  log_.warning("plugin misbehaved", {{"plugin", identity_.name}, {"reason", what}});
}

void UpstreamPlugin::progressed(RequestId request, double progress, double total, std::string_view message) {
  std::uint64_t call = 0;
  {
    const MutexLock lock(mutex_);
    const auto found = given_.find(request);
    if (found == given_.end()) return;
    call = found->second.call;
    // The call that brings the answers tells it.
    if (call == 0) found->second.progress = {progress, total, std::string(message)};
  }
  if (const auto found = call == 0 ? nullptr : calls_.find(call)) found->progress(progress, total, message);
}

void UpstreamPlugin::said(std::optional<RequestId> request, std::string_view level, std::string_view text) {
  std::uint64_t call = 0;
  {
    const MutexLock lock(mutex_);
    const auto known = request && given_.contains(*request)         ? request
                       : given_.size() == 1 && !request.has_value() ? std::optional(given_.begin()->first)
                                                                    : std::nullopt;
    if (known) call = given_.at(*known).call;
  }
  const auto severity = severity_of(level);
  if (const auto found = call == 0 ? nullptr : calls_.find(call)) return found->log(severity, text);
  constexpr std::int32_t warning = 3;
  log_.write(severity >= warning ? Log::Level::warning : Log::Level::info, "plugin says",
             {{"plugin", identity_.name}, {"level", level}, {"text", text}});
}

// Where the connection does not tell, it is the only one that there is, or one of several of the same person.
std::optional<UpstreamPlugin::RequestId> UpstreamPlugin::asking_request(std::optional<RequestId> known) const {
  if (known) return given_.contains(*known) ? known : std::nullopt;
  if (given_.empty()) return std::nullopt;
  const auto& first = given_.begin()->second;
  const bool is_one = std::ranges::all_of(given_, [&](const auto& each) { return each.second.caller == first.caller; });
  if (given_.size() > 1 && (!is_one || first.caller == "{}")) return std::nullopt;
  const auto by_id = [](const auto& a, const auto& b) { return a.first < b.first; };
  return std::ranges::max_element(given_, by_id)->first;
}

void UpstreamPlugin::asked(std::optional<RequestId> request, from_upstream::Request question) {
  const auto current = link();
  if (!current) return;
  const auto refuse = [&](int code, std::string_view why) {
    current->client->refuse(current->peer, question.id, code, why);
  };
  const char* const capability = capability_for(question.method);
  if (capability == nullptr || current->peer.is_modern) return refuse(no_such_method, "there is no such method here");
  bool asks_now = false;
  std::optional<RequestId> asking;
  {
    MutexLock lock(mutex_);
    asking = asking_request(request);
    if (!asking) {
      const bool any = !given_.empty();
      lock.unlock();
      if (question.method == "roots/list" && !any) {
        return current->client->answer(current->peer, question.id, {{"roots", Json::array()}});
      }
      return refuse(internal_error,
                    any ? "several calls run, and which of them asks this cannot be told; the operator of "
                          "the host can set limits.concurrentCalls to 1"
                        : "no call runs that could ask somebody this");
    }
    auto& given = given_.at(*asking);
    if (!json_member(given.capabilities, capability)) {
      lock.unlock();
      return refuse(no_such_method, std::string("the client that made this call has no ") + capability);
    }
    if (given.open.size() >= max_open_questions || ++given.questions > max_questions) {
      lock.unlock();
      return refuse(internal_error, "the call has asked too much");
    }
    given.open.emplace_back(std::to_string(given.questions), std::move(question));
    asks_now = given.call != 0;
  }
  if (asks_now) ask_open(*asking);
}

// Ends the call with what has been asked since.
void UpstreamPlugin::ask_open(RequestId request) {
  AskedQuestions questions;
  questions.request = request;
  std::uint64_t call = 0;
  {
    const MutexLock lock(mutex_);
    const auto found = given_.find(request);
    if (found == given_.end() || found->second.call == 0 || found->second.open.empty()) return;
    auto& given = found->second;
    call = std::exchange(given.call, 0);
    requests_.erase(call);
    questions.caller = given.caller;
    for (auto& [name, question] : given.open) {
      questions.ids[name] = question.id;
      questions.requests[name] = {{"method", question.method}, {"params", std::move(question.params)}};
    }
    given.open.clear();
  }
  call_ended();
  ask(call, std::move(questions));
}

void UpstreamPlugin::ask(std::uint64_t call, AskedQuestions questions) {
  const auto request = questions.request;
  const auto text = questions_.ask(std::move(questions), Clock::now());
  if (text) {
    calls_.complete({call, static_cast<std::int32_t>(Outcome::input_required), *text});
    return;
  }
  if (request != 0) {
    if (const auto current = link()) current->client->cancel(current->peer, request, "too much is asked");
    const MutexLock lock(mutex_);
    given_.erase(request);
  }
  calls_.refuse(call, " has asked too many clients something that they have not answered");
}

// ---- Calls.

std::shared_ptr<const UpstreamPlugin::Link> UpstreamPlugin::link() const {
  const MutexLock lock(mutex_);
  return link_;
}

void UpstreamPlugin::invoke(std::shared_ptr<Call> call) {
  const auto id = calls_.admit(call);
  if (!id) return;
  const CallTable::Admitted admitted{*id, std::move(call)};
  std::shared_ptr<const Link> current;
  std::string why_not;
  {
    const MutexLock lock(mutex_);
    switch (state_) {
      case State::serving:
        if (running_ < setup_.settings.limits.concurrent_calls) {
          ++running_;
          current = link_;
          break;
        }
        [[fallthrough]];
      case State::connecting:
        calls_.wait(*id);
        return;
      case State::backoff:
        why_not = " is not there: " + why_down_ + "; it is tried again soon";
        break;
      case State::given_up:
        why_not = " has ended: " + why_down_;
        break;
      case State::stopped:
        why_not = " has been stopped";
        break;
    }
  }
  if (current) return give(*current, admitted);
  if (admitted.call->claim()) calls_.refuse(admitted.id, why_not);
}

void UpstreamPlugin::give_waiting() {
  for (;;) {
    std::shared_ptr<const Link> current;
    std::optional<CallTable::Admitted> next;
    {
      const MutexLock lock(mutex_);
      if (state_ != State::serving || !link_ || running_ >= setup_.settings.limits.concurrent_calls) return;
      next = calls_.next_waiting();
      if (!next) return;
      ++running_;
      current = link_;
    }
    give(*current, *next);
  }
}

// One that had been given is over.
void UpstreamPlugin::call_ended() {
  {
    const MutexLock lock(mutex_);
    if (running_ > 0) --running_;
  }
  give_waiting();
}

// It counts as running.
void UpstreamPlugin::give(const Link& link, const CallTable::Admitted& admitted) {
  const auto& [id, call] = admitted;
  if (!call->claim()) return call_ended();  // it was cancelled, and has been refused
  begin(link, admitted);
  if (const auto why = call->cancelled(); why != CancelReason::none) cancel_given(id, call, why);
}

void UpstreamPlugin::begin(const Link& link, const CallTable::Admitted& admitted) {
  auto params = params_of(*admitted.call);
  if (!params.responses.empty() && resume(link, admitted, params)) return;
  begin_request(link, admitted, std::move(params));
}

std::string UpstreamPlugin::own_name(PluginMethod method, std::string_view name) const {
  const auto& names = method == PluginMethod::tools_call ? described_.tools : described_.prompts;
  const auto found = names.find(name);
  return found == names.end() ? std::string(name) : found->second;
}

// As the upstream calls it. The host has written the text.
UpstreamPlugin::Params UpstreamPlugin::params_of(const Call& call) const {
  const auto method = call.method();
  const bool is_read = method == PluginMethod::resources_read;
  Params params;
  JsonMembers members(call.params());
  const MutexLock lock(mutex_);
  while (members.next()) {
    const auto key = members.key();
    const auto value = members.value();
    if (key == "inputResponses") {
      params.responses = value;
    } else if (key == "name" && method != PluginMethod::completion_complete && !is_read) {
      params.name = own_name(method, json_string(value).value_or(""));
      append_json_member(params.members, key, dump(Json(params.name)));
    } else if (key == "ref" && method == PluginMethod::completion_complete) {
      auto ref = Json::parse(value);
      if (ref.is_object() && ref.contains("name") && ref["name"].is_string())
        ref["name"] = own_name(method, ref["name"].get_ref<const std::string&>());
      append_json_member(params.members, key, dump(ref));
    } else if (!is_read || (key != "uriTemplate" && key != "variables")) {
      if (key == "arguments") params.arguments = value;
      if (key == "uri" && is_read) params.name = json_string(value).value_or("");
      append_json_member(params.members, key, value);
    }
  }
  return params;
}

void UpstreamPlugin::begin_request(const Link& link, const CallTable::Admitted& admitted, Params params) {
  const auto& [id, call] = admitted;
  const auto context = call->context();
  auto capabilities = asked_capabilities(context);
  const auto request = link.client->next_id();
  auto message = request_to(
      link.peer, request, name_of(call->method()), params.members,
      {.own = passed_on_meta(context), .capabilities = capabilities, .wants_progress = true, .wants_log = true});
  std::vector<ParameterHeader> headers;
  if (link.peer.is_modern && call->method() == PluginMethod::tools_call) {
    const MutexLock lock(mutex_);
    if (const auto found = described_.headers.find(params.name); found != described_.headers.end())
      headers = found->second;
  }
  if (!headers.empty() && !params.arguments.empty())
    message.fields = parameter_fields(headers, Json::parse(params.arguments));
  if (call->method() != PluginMethod::completion_complete) message.name = std::move(params.name);
  {
    const MutexLock lock(mutex_);
    given_[request] = {.call = id, .caller = call->caller(), .capabilities = std::move(capabilities)};
    requests_[id] = request;
  }
  const auto sent = link.client->request(
      std::move(message), request, [this, request](UpstreamOutcome outcome) { answered(request, std::move(outcome)); });
  if (sent.has_error()) answered(request, UpstreamFailure{sent.error()});
}

// A call that brings answers to what was asked. True: it has been taken care of.
bool UpstreamPlugin::resume(const Link& link, const CallTable::Admitted& admitted, Params& params) {
  const auto& [id, call] = admitted;
  bool is_lost = false;
  auto answers = questions_.take(Json::parse(params.responses), call->caller(), is_lost);
  if (is_lost) {
    calls_.refuse(
        id,
        ": what this call answers is not asked any more, because the server behind it was started anew, or too "
        "much time has passed; make the call again");
    call_ended();
    return true;
  }
  if (!answers) return false;
  auto& [questions, given_answers] = *answers;
  if (questions.request != 0) {
    go_on(link, id, *answers);
    return true;
  }
  if (questions.wants_answers) append_json_member(params.members, "inputResponses", dump(given_answers));
  if (questions.request_state) append_json_member(params.members, "requestState", dump(Json(*questions.request_state)));
  begin_request(link, admitted, std::move(params));
  return true;
}

// The call takes over the request that has asked.
void UpstreamPlugin::go_on(const Link& link, std::uint64_t call, const UpstreamQuestions::Answered& answered) {
  const auto& [questions, answers] = answered;
  std::optional<UpstreamOutcome> outcome;
  std::optional<ToldProgress> told;
  bool is_there = false;
  std::string caller;
  {
    const MutexLock lock(mutex_);
    const auto found = given_.find(questions.request);
    is_there = found != given_.end();
    if (is_there) {
      auto& given = found->second;
      caller = given.caller;
      outcome = std::exchange(given.outcome, std::nullopt);
      told = std::exchange(given.progress, std::nullopt);
      if (outcome) {
        given_.erase(found);
      } else {
        given.call = call;
        requests_[call] = questions.request;
      }
    }
  }
  if (!is_there) {
    calls_.refuse(call, ": the server behind it was started anew while it waited for the answer; make the call again");
    return call_ended();
  }
  if (const auto teller = told ? calls_.find(call) : nullptr)
    teller->progress(told->progress, told->total, told->message);
  if (outcome) {
    call_ended();
    return complete(call, caller, *std::move(outcome));
  }
  for (const auto& [name, id] : questions.ids) {
    if (answers.contains(name)) {
      link.client->answer(link.peer, id, answers[name]);
    } else {
      link.client->refuse(link.peer, id, internal_error, "the client has not answered");
    }
  }
  ask_open(questions.request);
}

void UpstreamPlugin::answered(RequestId request, UpstreamOutcome outcome) {
  std::uint64_t call = 0;
  std::string caller;
  {
    const MutexLock lock(mutex_);
    if (const auto* const failure = std::get_if<UpstreamFailure>(&outcome)) {
      // It is to be initialized again, which a new connection does.
      if (failure->session_is_gone && !ended_) ended_ = failure->error;
      is_doubtful_ |= failure->error.may_pass();
      changed_.notify_all();
    }
    const auto found = given_.find(request);
    if (found == given_.end()) return;
    if (found->second.call == 0) {
      // It went on without waiting for its answers.
      found->second.outcome = std::move(outcome);
      return;
    }
    call = found->second.call;
    caller = std::move(found->second.caller);
    given_.erase(found);
    requests_.erase(call);
  }
  call_ended();
  complete(call, caller, std::move(outcome));
}

void UpstreamPlugin::complete(std::uint64_t call, const std::string& caller, UpstreamOutcome outcome) {
  if (const auto* const failure = std::get_if<UpstreamFailure>(&outcome))
    return calls_.refuse(call, ": the call failed, because " + failure->error.message);
  if (const auto* const error = std::get_if<UpstreamError>(&outcome)) {
    const auto visits = error->code == url_elicitation_required ? asked_visits(error->data) : std::nullopt;
    if (visits) {
      AskedQuestions questions;
      questions.caller = caller;
      questions.wants_answers = false;
      questions.requests = *visits;
      return ask(call, std::move(questions));
    }
    return complete_with_error(call, *error);
  }
  const auto& result = std::get<std::string>(outcome);
  if (is_input_required(result)) {
    if (!ask_again(call, caller, result)) {
      calls_.refuse(call, " asks for something that this host does not pass on");
    }
    return;
  }
  const auto text = without_envelope(result);
  calls_.complete({call, static_cast<std::int32_t>(Outcome::result), text});
}

void UpstreamPlugin::complete_with_error(std::uint64_t call, const UpstreamError& error) {
  const auto code = error.code == legacy_resource_not_found ? invalid_params : error.code;
  const auto text = error_text(code, error.message, error.data);
  calls_.complete({call, static_cast<std::int32_t>(Outcome::error), text});
}

// Of the modern era: its questions, or only a wish to be called again.
bool UpstreamPlugin::ask_again(std::uint64_t call, const std::string& caller, std::string_view text) {
  const auto result = parse_json(text, 128);
  if (result.has_error()) return false;
  AskedQuestions questions;
  questions.caller = caller;
  if (const auto state = result->value("requestState", Json()); state.is_string()) questions.request_state = state;
  const auto requests = passed_on_requests(result->value("inputRequests", Json::object()));
  if (!requests || requests->empty()) return false;
  questions.requests = *requests;
  ask(call, std::move(questions));
  return true;
}

void UpstreamPlugin::cancel_given(std::uint64_t id, const std::shared_ptr<Call>& /*call*/, CancelReason /*reason*/) {
  std::optional<RequestId> request;
  std::shared_ptr<const Link> current;
  {
    const MutexLock lock(mutex_);
    const auto found = requests_.find(id);
    if (found == requests_.end()) return;
    request = found->second;
    requests_.erase(found);
    given_.erase(*request);
    current = link_;
  }
  if (current)
    current->client->cancel(current->peer, *request, "the client has cancelled the call, or its time is over");
  calls_.complete({id, static_cast<std::int32_t>(Outcome::error),
                   error_text(internal_error, "plugin " + identity_.name + ": the call was cancelled")});
  call_ended();
}

void UpstreamPlugin::end_overdue(std::uint64_t id, const Call& /*call*/) {
  calls_.refuse(id, " did not end a call that was cancelled");
}

}  // namespace mcph
