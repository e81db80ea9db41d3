#include "sources/upstream/upstream_client.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "base/json_members.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "plugin/plugin.hpp"

namespace mcph {
namespace {

// Its servers have completions without saying so.
constexpr std::string_view revision_without_completions_capability = "2024-11-05";

constexpr std::size_t max_pending = 100'000;
// Of what it says of itself and others are shown.
constexpr std::size_t max_said_name = 128;

std::optional<std::uint64_t> number_of(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return number;
}

std::string said_by(const Json& info, const char* member) {
  if (!info.is_object()) return {};
  const auto text = info.value(member, Json());
  return text.is_string() ? std::string(utf8_prefix(text.get_ref<const std::string&>(), max_said_name)) : "";
}

// For an error: it may be as long as a message.
std::string brief_json(const Json& value) {
  return std::string(utf8_prefix(dump(value), max_said_name));
}

// What it told of itself, in either era.
void note_self(UpstreamPeer& peer, const Json& result, const Json& info) {
  peer.capabilities = result.value("capabilities", Json::object());
  if (!peer.capabilities.is_object()) peer.capabilities = Json::object();
  peer.name = said_by(info, "name");
  peer.version = said_by(info, "version");
  if (const auto text = result.value("instructions", Json()); text.is_string()) peer.instructions = text;
}

Json info_in(const Json& result) {
  const auto meta = result.value("_meta", Json::object());
  return meta.is_object() ? meta.value("io.modelcontextprotocol/serverInfo", Json()) : Json();
}

bool offers(const Json& versions, std::string_view version) {
  return versions.is_array() && std::ranges::find(versions, Json(version)) != versions.end();
}

// Null: there is none.
const Json& member_of(const Json& params, const char* name) {
  static const Json none;
  const auto found = params.find(name);
  return found == params.end() ? none : *found;
}

std::string text_of_log(const Json& params, std::string_view data) {
  std::string text(utf8_prefix(data, max_message_bytes));
  const auto& logger = member_of(params, "logger");
  if (logger.is_string() && !logger.get_ref<const std::string&>().empty())
    text = logger.get<std::string>() + ": " + text;
  return std::string(utf8_prefix(text, max_message_bytes));
}

UpstreamMessage message_of(const UpstreamPeer& peer, std::uint64_t id, Method method, const Json& params) {
  const auto text = dump(params);
  // Without its brackets.
  return request_to(peer, id, method, std::string_view(text).substr(1, text.size() - 2));
}

double number_in(const Json& params, const char* member) {
  const auto value = params.value(member, Json());
  return value.is_number() ? value.get<double>() : 0;
}

}  // namespace

UpstreamClient::RequestId UpstreamClient::next_id() {
  const MutexLock lock(mutex_);
  return ++last_id_;
}

Result<UpstreamClient::RequestId> UpstreamClient::request(const UpstreamPeer& peer, Method method, const Json& params,
                                                          Answered answered) {
  const auto id = next_id();
  return request(message_of(peer, id, method, params), id, std::move(answered));
}

Result<UpstreamClient::RequestId> UpstreamClient::request(UpstreamMessage message, RequestId id, Answered answered) {
  {
    const MutexLock lock(mutex_);
    if (ended_) return *ended_;
    if (pending_.size() >= max_pending) return fail_for_now("too many requests are in flight");
    pending_.emplace(id, std::move(answered));
    sending_.try_emplace(id);
  }
  auto sent = transport_->send(std::move(message));
  auto cancellation = [&] {
    const MutexLock lock(mutex_);
    return std::move(sending_.extract(id).mapped());
  }();
  if (sent.has_value() && cancellation) send_cancellation(id, *std::move(cancellation));
  if (sent.has_value()) return id;
  // It may have been told that all have failed meanwhile.
  if (take_pending(id) == nullptr) return id;
  return sent.error();
}

UpstreamClient::Answered UpstreamClient::take_pending(RequestId id) {
  const MutexLock lock(mutex_);
  auto found = pending_.extract(id);
  return found.empty() ? Answered() : std::move(found.mapped());
}

void UpstreamClient::cancel(const UpstreamPeer& peer, RequestId request, std::string_view reason) {
  if (take_pending(request) == nullptr) return;
  auto cancellation =
      notification_to(peer, Method::notifications_cancelled, {{"requestId", request}, {"reason", reason}});
  {
    const MutexLock lock(mutex_);
    // Before its request it would say nothing to anybody: whoever sends that at this moment sends this after it.
    if (const auto sending = sending_.find(request); sending != sending_.end()) {
      sending->second = std::move(cancellation);
      return;
    }
  }
  send_cancellation(request, std::move(cancellation));
}

void UpstreamClient::send_cancellation(RequestId request, UpstreamMessage cancellation) {
  static_cast<void>(transport_->send(std::move(cancellation)));
  transport_->abandon(std::to_string(request));
}

// What is not sent any more is of no use to anybody.
void UpstreamClient::notify(const UpstreamPeer& peer, Method method, Json params) {
  static_cast<void>(transport_->send(notification_to(peer, method, std::move(params))));
}

void UpstreamClient::answer(const UpstreamPeer& peer, const Json& input_request, const Json& result) {
  static_cast<void>(transport_->send(answer_to(peer, input_request, result)));
}

void UpstreamClient::refuse(const UpstreamPeer& peer, const Json& input_request, int code, std::string_view why) {
  static_cast<void>(transport_->send(error_to(peer, input_request, code, why)));
}

Error UpstreamClient::error_of(const ReadOutcome& outcome, Method method) {
  if (const auto* const failure = std::get_if<UpstreamFailure>(&outcome)) return failure->error;
  const auto& error = std::get<UpstreamError>(outcome);
  return fail("it answered " + std::string(name_of(method)) + " with the error " + std::to_string(error.code) + ": " +
              std::string(utf8_prefix(error.message, max_message_bytes)));
}

UpstreamClient::ReadOutcome UpstreamClient::read(UpstreamOutcome outcome) {
  if (auto* const failure = std::get_if<UpstreamFailure>(&outcome)) return std::move(*failure);
  if (auto* const error = std::get_if<UpstreamError>(&outcome)) return std::move(*error);
  const auto& text = std::get<std::string>(outcome);
  if (!may_be_read(text)) return UpstreamFailure{fail("what it answered has more in it than is read")};
  auto result = parse_json(text, max_upstream_depth);
  if (result.has_error()) return UpstreamFailure{fail("what it answered is no JSON: " + result.error().message)};
  return *std::move(result);
}

std::optional<UpstreamOutcome> UpstreamClient::wait_for(UpstreamMessage message, RequestId id,
                                                        std::chrono::milliseconds patience) {
  struct Waiting {
    Mutex mutex;
    Condition came;
    std::optional<UpstreamOutcome> outcome GUARDED_BY(mutex);
  };
  const auto waiting = std::make_shared<Waiting>();
  const auto sent = request(std::move(message), id, [waiting](UpstreamOutcome outcome) {
    const MutexLock lock(waiting->mutex);
    waiting->outcome = std::move(outcome);
    waiting->came.notify_all();
  });
  if (sent.has_error()) return UpstreamFailure{sent.error()};
  const auto until = std::chrono::steady_clock::now() + patience;
  MutexLock lock(waiting->mutex);
  while (!waiting->outcome && waiting->came.wait_until(lock, until)) {
  }
  return std::move(waiting->outcome);
}

UpstreamOutcome UpstreamClient::ask_for_text(const UpstreamPeer& peer, Method method, const Json& params,
                                             std::chrono::milliseconds patience) {
  const auto id = next_id();
  auto outcome = wait_for(message_of(peer, id, method, params), id, patience);
  if (outcome) return *std::move(outcome);
  // A client must not cancel its initialize (2025-11-25, basic/utilities/cancellation).
  if (method == Method::initialize) {
    take_pending(id);
  } else {
    cancel(peer, id, "it took too long");
  }
  return UpstreamFailure{fail_for_now("it did not answer " + std::string(name_of(method)) + " within " +
                                      std::to_string(patience.count()) + " ms; if it is slow, raise connectMs")};
}

UpstreamClient::ReadOutcome UpstreamClient::ask(const UpstreamPeer& peer, Method method, const Json& params,
                                                std::chrono::milliseconds patience) {
  return read(ask_for_text(peer, method, params, patience));
}

Result<> UpstreamClient::deliver(UpstreamMessage message, std::chrono::milliseconds patience) {
  // Nobody else knows of this id, which stands for the wait.
  const auto id = next_id();
  message.taken = [weak = weak_from_this(), id](const Result<>& outcome) {
    const auto self = weak.lock();
    auto taken = self ? self->take_pending(id) : Answered();
    if (taken == nullptr) return;
    taken(outcome.has_error() ? UpstreamOutcome(UpstreamFailure{outcome.error()}) : UpstreamOutcome(std::string()));
  };
  const auto outcome = wait_for(std::move(message), id, patience);
  take_pending(id);
  const auto* const failure = outcome ? std::get_if<UpstreamFailure>(&*outcome) : nullptr;
  return failure == nullptr ? Result<>() : Result<>(failure->error);
}

Result<UpstreamPeer> UpstreamClient::connect(std::chrono::milliseconds patience, bool probes) {
  if (const auto begun = transport_->begin(weak_from_this(), patience); begun.has_error()) return begun.error();
  if (!probes) return initialize(patience);
  // Some legacy servers say nothing to what they do not understand, and programs take their time to start.
  auto peer = probe(patience / 2);
  if (peer.has_error()) return peer.error();
  if (*peer) return **std::move(peer);
  auto initialized = initialize(patience);
  if (initialized.has_value() || initialized.error().may_pass() || transport_->process() == 0) return initialized;
  // A modern program that was slow to start refuses that (2026-07-28, basic/versioning). By now it has started.
  auto late = probe(patience / 2);
  return late.has_value() && *late ? Result<UpstreamPeer>(**std::move(late)) : initialized;
}

Result<std::optional<UpstreamPeer>> UpstreamClient::probe(std::chrono::milliseconds patience) {
  std::optional<UpstreamPeer> legacy;
  const auto is_legacy_version = [](const Json& version) {
    return version.is_string() && is_legacy_revision(version.get_ref<const std::string&>());
  };
  UpstreamPeer peer{.is_modern = true, .revision = std::string(modern_revision)};
  const auto outcome = ask(peer, Method::server_discover, Json::object(), patience);
  if (const auto* const result = std::get_if<Json>(&outcome)) {
    const auto versions = result->value("supportedVersions", Json());
    if (!versions.is_array()) return legacy;
    if (!offers(versions, modern_revision)) {
      if (std::ranges::any_of(versions, is_legacy_version)) return legacy;
      return fail("it speaks no revision of MCP that this host speaks, but " + brief_json(versions));
    }
    if (result->value("resultType", Json("complete")) != "complete")
      return fail("its answer to server/discover has a resultType that is not complete");
    note_self(peer, *result, info_in(*result));
    is_modern_ = true;
    return std::optional(std::move(peer));
  }
  if (const auto* const error = std::get_if<UpstreamError>(&outcome); error != nullptr && is_modern_error(*error)) {
    const auto supported = error->data.is_object() ? error->data.value("supported", Json()) : Json();
    const bool speaks_legacy = supported.is_array() && std::ranges::any_of(supported, is_legacy_version);
    if (speaks_legacy && error->code == upstream_code::unsupported_version) return legacy;
    return error_of(outcome, Method::server_discover);
  }
  {
    const MutexLock lock(mutex_);
    if (ended_) return *ended_;
  }
  // Whatever else it says, or does not say, is no modern server's: some older ones fail (500, 501) at what they do not
  // know. Over HTTP nobody may be there at all, and what keeps a server from answering now says nothing of its era.
  const auto* const failure = std::get_if<UpstreamFailure>(&outcome);
  // Of the credentials, which would be refused again.
  if (failure != nullptr && failure->status == 401) return failure->error;
  const bool refuses = failure != nullptr && failure->status != 0 &&
                       (!failure->error.may_pass() || failure->status == 500 || failure->status == 501);
  if (failure == nullptr || refuses || transport_->process() != 0) return legacy;
  auto why = failure->error;
  if (failure->is_refused_for_now())
    why.message +=
        R"(, when it is asked whether it is modern; if it is not, and cannot be asked, write "legacy": true)";
  return why;
}

Result<UpstreamPeer> UpstreamClient::initialize(std::chrono::milliseconds patience) {
  UpstreamPeer peer;
  const auto outcome = ask(peer, Method::initialize, initialize_params(), patience);
  const auto* const result = std::get_if<Json>(&outcome);
  if (result == nullptr) return error_of(outcome, Method::initialize);
  const auto revision = result->value("protocolVersion", Json());
  if (!revision.is_string() || !is_legacy_revision(revision.get_ref<const std::string&>())) {
    return fail("it answered initialize with the protocol version " + brief_json(revision) +
                ", which this host does not speak");
  }
  peer.revision = revision;
  note_self(peer, *result, result->value("serverInfo", Json()));
  // Until then it wants to be asked nothing, and over HTTP what is sent next may be there first.
  const auto told = deliver(notification_to(peer, Method::notifications_initialized, Json::object()), patience);
  if (told.has_error()) return fail_for_now("it did not take notifications/initialized: " + told.error().message);
  return peer;
}

Result<> UpstreamClient::ping(const UpstreamPeer& peer, std::chrono::milliseconds patience) {
  const auto outcome = ask(peer, peer.is_modern ? Method::server_discover : Method::ping, Json::object(), patience);
  if (const auto* const error = std::get_if<UpstreamError>(&outcome)) {
    // A modern server knows what it was asked, and no other server says what only modern ones say. A process stays
    // what it is.
    const bool is_other =
        transport_->process() == 0 && (peer.is_modern ? is_legacy_refusal(*error) : is_modern_error(*error));
    return is_other ? Result<>(fail("it speaks another revision now")) : Result<>();
  }
  const auto* const failure = std::get_if<UpstreamFailure>(&outcome);
  const bool is_alive = failure == nullptr || failure->is_refused_for_now() || failure->was_not_sent();
  return is_alive ? Result<>() : Result<>(failure->error);
}

Result<UpstreamLists> UpstreamClient::list(const UpstreamPeer& peer, std::chrono::milliseconds patience,
                                           const std::optional<std::set<UpstreamList>>& may_fail) {
  UpstreamLists lists{
      .instructions = peer.instructions,
      .completions = peer.can("completions") || peer.revision == revision_without_completions_capability};
  std::size_t asked = 0;
  Result<> first;
  for (std::size_t i = 0; i < upstream_lists; ++i) {
    const auto kind = static_cast<UpstreamList>(i);
    const char* const capability = kind == UpstreamList::tools     ? "tools"
                                   : kind == UpstreamList::prompts ? "prompts"
                                                                   : "resources";
    if (!peer.can(capability)) continue;
    ++asked;
    UpstreamPages pages(kind, peer.is_modern);
    if (const auto listed = list(peer, kind, pages, patience); listed.has_error()) {
      // What may pass is tried again, with all of it. Otherwise the others are no worse for it.
      const bool is_borne = !may_fail || may_fail->contains(kind);
      if (!is_borne || listed.error().may_pass() || has_ended()) return listed.error();
      lists.failed.emplace(kind, listed.error().message);
      if (lists.failed.size() == 1) first = listed;
      continue;
    }
    if (const auto& ttl = pages.ttl(); ttl && peer.is_modern && !peer.can(capability, "listChanged"))
      lists.ttl = std::min(lists.ttl.value_or(*ttl), *ttl);
    lists.of(kind) = pages.take();
    std::ranges::move(pages.take_faulty(), std::back_inserter(lists.faulty));
  }
  if (asked > 0 && lists.failed.size() == asked) return first.error();
  return lists;
}

Result<> UpstreamClient::list(const UpstreamPeer& peer, UpstreamList list, UpstreamPages& pages,
                              std::chrono::milliseconds patience) {
  // All of it, because a slow page after a slow page would never end.
  const auto until = std::chrono::steady_clock::now() + 4 * patience;
  while (pages.has_more()) {
    Json params = Json::object();
    if (pages.cursor()) params["cursor"] = *pages.cursor();
    auto outcome = ask_for_text(peer, list_method(list), params, patience);
    const auto* const page = std::get_if<std::string>(&outcome);
    if (page == nullptr) {
      const auto* const error = std::get_if<UpstreamError>(&outcome);
      // Many have resources and no templates.
      if (error != nullptr && error->code == upstream_code::method_not_found) return {};
      return error_of(read(std::move(outcome)), list_method(list));
    }
    if (auto added = pages.add(*page); added.has_error()) return added;
    if (std::chrono::steady_clock::now() > until) {
      return fail_for_now("it took too long to list all of " + std::string(list_member(list)));
    }
  }
  return {};
}

bool UpstreamClient::has_ended() {
  const MutexLock lock(mutex_);
  return ended_.has_value();
}

void UpstreamClient::forget(const Error& why) {
  fail_requests(why);
  MutexLock lock(telling_);
  owner_ = nullptr;
  while (answering_ > 0)
    all_answered_.wait(lock);
}

void UpstreamClient::fail_requests(const Error& why) {
  const MutexLock telling(telling_);
  std::unordered_map<RequestId, Answered> failed;
  {
    const MutexLock lock(mutex_);
    if (!ended_) ended_ = why;
    failed.swap(pending_);
  }
  for (auto& [id, answered] : failed)
    answered(UpstreamFailure{why});
}

void UpstreamClient::message_came(std::string_view text, std::optional<std::string_view> stream_of) {
  // Revision 2025-03-26 has batches (basic, "Batching").
  const auto batch = !is_modern_ && text.starts_with('[') && may_be_read(text) ? json_elements(text) : std::nullopt;
  if (!batch) return take(text, stream_of);
  for (const auto each : *batch)
    take(each, stream_of);
}

void UpstreamClient::take(std::string_view text, std::optional<std::string_view> stream_of) {
  auto message = from_upstream::read(text);
  auto* const answer = message.has_value() ? std::get_if<from_upstream::Answer>(&*message) : nullptr;
  if (answer != nullptr) return take(std::move(*answer));
  const MutexLock lock(telling_);
  if (owner_ == nullptr) return;
  if (message.has_error()) return take_broken(text, message.error());
  if (const auto* const said = std::get_if<from_upstream::Notification>(&*message))
    return take(*said, number_of(stream_of));
  take(std::get<from_upstream::Request>(std::move(*message)), number_of(stream_of));
}

// Where it can be told whose answer it was, that request does not wait any more.
void UpstreamClient::take_broken(std::string_view text, const Error& why) {
  constexpr std::size_t looked_at = 256;
  constexpr std::size_t max_shown = 200;
  owner_->misbehaved("what it sent " + why.message + ": " + std::string(utf8_prefix(text, max_shown)));
  const auto id = from_upstream::answered_request(text.substr(0, looked_at),
                                                  text.substr(text.size() - std::min(text.size(), looked_at)));
  auto answered = id ? take_pending(*id) : Answered();
  if (answered != nullptr) answered(UpstreamFailure{fail("what it answered " + why.message)});
  if (id) owner_->answered_late(*id);
}

// As long as it lives, who is told an answer lives.
class UpstreamClient::Answering {
 public:
  explicit Answering(UpstreamClient& client) : client_(client) {
    const MutexLock lock(client_.telling_);
    is_heard_ = client_.owner_ != nullptr;
    if (is_heard_) ++client_.answering_;
  }
  ~Answering() {
    if (!is_heard_) return;
    const MutexLock lock(client_.telling_);
    if (--client_.answering_ == 0) client_.all_answered_.notify_all();
  }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  bool is_heard() const { return is_heard_; }

 private:
  UpstreamClient& client_;
  bool is_heard_ = false;
};

void UpstreamClient::take(from_upstream::Answer answer) {
  const Answering answering(*this);
  if (!answering.is_heard()) return;
  auto answered = take_pending(answer.id);
  if (answered == nullptr) {
    const bool is_late = [&] {
      // One that was cancelled may be answered all the same, and twice is as good as late.
      const MutexLock lock(mutex_);
      return answer.id >= 1 && answer.id <= last_id_;
    }();
    const MutexLock lock(telling_);
    if (owner_ == nullptr) return;
    if (is_late) return owner_->answered_late(answer.id);
    return owner_->misbehaved("it answered the request " + std::to_string(answer.id) + ", which nobody has made");
  }
  if (auto* const result = std::get_if<std::string>(&answer.outcome)) return answered(std::move(*result));
  answered(std::get<UpstreamError>(std::move(answer.outcome)));
}

void UpstreamClient::take(const from_upstream::Notification& notification, std::optional<RequestId> stream_of) {
  const auto& params = notification.params;
  const auto method = find_method(notification.method);
  if (method == Method::notifications_progress) {
    const auto& token = member_of(params, "progressToken");
    const auto& message = member_of(params, "message");
    if (!token.is_number_unsigned()) return;
    const std::string_view text = message.is_string() ? message.get_ref<const std::string&>() : std::string_view();
    return owner_->progressed(token.get<RequestId>(), number_in(params, "progress"), number_in(params, "total"),
                              utf8_prefix(text, max_message_bytes));
  }
  if (method == Method::notifications_message) {
    const auto& level = member_of(params, "level");
    const auto& data = member_of(params, "data");
    auto json = data.is_string() ? std::string() : dump(data);
    const auto text = text_of_log(params, data.is_string() ? data.get_ref<const std::string&>() : json);
    if (json.size() > max_message_bytes) json.clear();
    return owner_->said(stream_of, level.is_string() ? level.get_ref<const std::string&>() : std::string("info"), text,
                        json);
  }
  if (method == Method::notifications_tools_list_changed || method == Method::notifications_resources_list_changed ||
      method == Method::notifications_prompts_list_changed) {
    return owner_->lists_changed();
  }
  if (method == Method::notifications_subscriptions_acknowledged && is_modern_) {
    const auto& said = member_of(member_of(params, "_meta"), "io.modelcontextprotocol/subscriptionId");
    const auto subscription = said.is_number_unsigned() ? std::optional(said.get<RequestId>()) : stream_of;
    return owner_->acknowledged(subscription, member_of(params, "notifications"));
  }
  if (method == Method::notifications_cancelled) return take_cancelled(member_of(params, "requestId"));
  if (method != Method::notifications_resources_updated) return;
  if (const auto& uri = member_of(params, "uri"); uri.is_string()) owner_->resource_updated(uri.get<std::string>());
}

// In the modern era that is a subscription of the host's, which the server ends (2026-07-28, basic/transports/stdio);
// in the legacy one something that it has asked.
void UpstreamClient::take_cancelled(const Json& request) {
  if (!is_modern_) return owner_->withdrawn(request);
  const auto id = request.is_number_unsigned() ? request.get<RequestId>() : 0;
  const auto answered = take_pending(id);
  if (answered == nullptr) return;
  transport_->abandon(std::to_string(id));
  answered(UpstreamFailure{fail_for_now("it has ended the request by itself")});
}

void UpstreamClient::take(from_upstream::Request input_request, std::optional<RequestId> stream_of) {
  // Clients of that era answer nothing (2026-07-28, basic/transports).
  if (is_modern_) {
    return owner_->misbehaved("it asked " + std::string(utf8_prefix(input_request.method, max_said_name)) +
                              ", which a server of " + std::string(modern_revision) + " does not; it is not answered");
  }
  if (find_method(input_request.method) == Method::ping) return answer({}, input_request.id, Json::object());
  owner_->asked(stream_of, std::move(input_request));
}

void UpstreamClient::message_refused(Error why, std::optional<std::string_view> stream_of) {
  const MutexLock lock(telling_);
  if (owner_ == nullptr) return;
  why.message.insert(0, "it ");
  owner_->misbehaved(why.message);
  const auto id = number_of(stream_of);
  auto answered = id ? take_pending(*id) : Answered();
  if (answered != nullptr) answered(UpstreamFailure{std::move(why)});
}

void UpstreamClient::request_failed(std::string_view id, UpstreamFailure why) {
  const MutexLock lock(telling_);
  const auto number = number_of(id);
  auto answered = number ? take_pending(*number) : Answered();
  if (answered != nullptr) answered(std::move(why));
}

void UpstreamClient::may_have_missed() {
  const MutexLock lock(telling_);
  if (owner_ != nullptr) owner_->may_have_missed();
}

void UpstreamClient::ended(Error why) {
  {
    // From now on nothing more is given to it.
    const MutexLock lock(telling_);
    if (owner_ != nullptr) owner_->connection_ended(why);
  }
  fail_requests(why);
}

}  // namespace mcph
