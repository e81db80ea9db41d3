#include "sources/upstream/http_upstream.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "http/rules.hpp"
#include "sources/upstream/event_stream_reader.hpp"
#include "sources/upstream/sse_upstream.hpp"
#include "sources/upstream/upstream_answer.hpp"
#include "sources/upstream/upstream_input_requests.hpp"
#include "sources/upstream/upstream_wire.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_refusal_bytes = std::size_t{64} << 10;
constexpr std::size_t max_session_bytes = std::size_t{8} << 10;
// Where the upstream does not say when a stream may be continued.
constexpr std::chrono::milliseconds usual_retry{1000};
// Whatever it says, it is not asked without a pause.
constexpr std::chrono::milliseconds min_retry{100};
constexpr std::chrono::milliseconds max_retry{30'000};
// For a stream to end after the answer to its request.
constexpr std::chrono::milliseconds time_after_answer{1000};
// Of a field of its answer, in messages.
constexpr std::size_t max_shown_field = 64;
// One after the other, of which no event came.
constexpr unsigned max_attempts = 6;
// For the end of a session, and for the answer to what nobody waits for.
constexpr std::chrono::milliseconds farewell_time{5000};
// Of a request in the legacy era, for which a client may be asked something meanwhile, and answer at the last moment.
constexpr std::chrono::milliseconds silence_while_asking = UpstreamInputRequests::time + std::chrono::minutes{1};

bool is_event_stream(const AnswerHead& head) {
  return is_media_type(head.field("Content-Type"), "text/event-stream");
}

bool is_success(unsigned status) {
  return status >= 200 && status < 300;
}

// That another try may be answered otherwise.
bool is_passing(unsigned status) {
  return status == 429 || status >= 500;
}

// Of a request: no more than that it is done.
bool has_short_answer(const UpstreamMessage& message) {
  const auto& method = message.method;
  return method == Method::resources_subscribe || method == Method::resources_unsubscribe ||
         method == Method::logging_set_level || method == Method::ping;
}

// Why no session can have this id; empty: one can.
std::string why_no_session(std::string_view id) {
  if (id.size() > max_session_bytes)
    return "it gives the session an id of more than " + std::to_string(max_session_bytes) + " bytes";
  const bool is_visible = std::ranges::all_of(id, [](char c) { return '!' <= c && c <= '~'; });
  return is_visible ? "" : "it gives the session an id with characters that none has";
}

// An error of JSON-RPC in the body of an answer that is none of success, under the request's id: upstreams may leave
// that out or write null. Nothing: it is no such error.
// Where another try may be answered otherwise, what does not know the id is no server's word, but a gateway's.
std::optional<std::string> error_in(const std::string& body, const std::string& id, bool needs_id) {
  auto json = parse_json(body);
  if (json.has_error() || !json->is_object() || json->value("jsonrpc", Json()) != "2.0") return std::nullopt;
  if (needs_id && json->value("id", Json()).is_null()) return std::nullopt;
  const auto error = json->value("error", Json());
  if (!error.is_object() || !error.value("code", Json()).is_number_integer()) return std::nullopt;
  (*json)["id"] = read_json(id);
  return dump(*json);
}

}  // namespace

bool is_response(std::string_view message) {
  int depth = 0;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const auto begin = i + 1;
    for (++i; i < message.size() && message[i] != '"'; ++i)
      if (message[i] == '\\') ++i;
    if (depth != 1 || i >= message.size()) continue;
    const auto after = message.find_first_not_of(" \t\r\n", i + 1);
    if (after == std::string_view::npos || message[after] != ':') continue;
    const auto key = message.substr(begin, i - begin);
    if (key == "result" || key == "error") return true;
    if (key == "method") return false;
  }
  return false;
}

std::chrono::milliseconds pause_before_reconnecting(unsigned attempts, std::optional<std::chrono::milliseconds> said) {
  const auto pause = std::max(said.value_or(usual_retry), min_retry);
  return attempts == 0 ? pause : std::min(pause * (1U << attempts), std::max(pause, max_retry));
}

// What a POST's stream and a session's have in common: events are told, and when the stream has broken it is asked for
// again, from where it broke, after a while.
class HttpUpstream::Stream : public UpstreamAnswer {
 public:
  // `silence`: how long nothing may come when it is continued. `max_bytes`: of one message, where the settings allow so
  // many.
  Stream(std::shared_ptr<HttpUpstream> upstream, std::chrono::milliseconds silence,
         std::size_t max_bytes = std::string::npos)
      : UpstreamAnswer(upstream->http_),
        upstream_(std::move(upstream)),
        silence_(silence),
        reader_(std::min(max_bytes, upstream_->http_->settings().max_message_bytes)) {}

 protected:
  // `stream_of` stays as long as this does.
  void read_events(std::string_view piece, std::optional<std::string_view> stream_of) {
    reader_.read(piece, [&](const EventStreamReader::Event& event) {
      attempts_ = 0;
      if (event.type != "message" || is_cancelled()) return;
      if (is_told_now(event.data.size())) return tell(event.data, event.is_too_long, stream_of);
      tell_later(event.data.size(), [this, data = std::string(event.data), is_too_long = event.is_too_long, stream_of] {
        tell(data, is_too_long, stream_of);
      });
    });
  }
  // Asks for what comes from there on, unless that has failed too often.
  bool continue_later() {
    if (attempts_ >= max_attempts) return false;
    const auto pause = pause_before_reconnecting(attempts_++, reader_.retry());
    reader_.begin_again();
    run_after(pause, [this] { send(upstream_->stream_request(reader_.last_id(), silence_)); });
    return true;
  }

  virtual void answer_came() {}

  const std::shared_ptr<HttpUpstream> upstream_;
  const std::chrono::milliseconds silence_;
  EventStreamReader reader_;
  unsigned attempts_ = 0;
  bool has_answer_ = false;

 private:
  void tell(std::string_view data, bool is_too_long, std::optional<std::string_view> stream_of) {
    const auto listener = upstream_->listener();
    if (!listener) return;
    if (is_too_long) return listener->message_refused(UpstreamHttp::too_long(reader_.max_data()), stream_of);
    if (data.empty()) return;
    const bool is_answer = is_response(data);
    has_answer_ = has_answer_ || is_answer;
    listener->message_came(data, stream_of);
    if (is_answer) answer_came();
  }
};

// A message, its answer, and what comes with that.
class HttpUpstream::Post final : public Stream {
 public:
  Post(std::shared_ptr<HttpUpstream> upstream, UpstreamMessage message, bool has_session)
      : Stream(std::move(upstream), silence_while_asking,
               has_short_answer(message) ? max_refusal_bytes : std::string::npos),
        message_(std::move(message)),
        has_session_(has_session) {}

  const std::string& id() const { return message_.id; }

  void head_came(const AnswerHead& head) override {
    status_ = head.status;
    body_.clear();
    unfit_.clear();
    const bool wants_answer = message_.kind == UpstreamMessageKind::request;
    coming_ = Coming::refusal;
    if (is_success(status_)) {
      unfit_ = why_unfit(head);
      coming_ = wants_answer ? Coming::text : Coming::nothing;
      if (unfit_.empty() && is_event_stream(head)) coming_ = Coming::events;
      has_begun_ = has_begun_ || coming_ == Coming::events;
      // The rest of its stream, where that broke, need not say it again.
      if (message_.method == Method::initialize && reader_.last_id().empty())
        begin_session(head.field("Mcp-Session-Id"));
    }
    challenge_ = head.field("WWW-Authenticate");
    if (message_.taken && is_success(status_)) message_.taken(Result<>());
  }

  void all_came(const Result<>& whole) override {
    if (message_.kind != UpstreamMessageKind::request) return end_of_other(whole);
    // Ending it is how an upstream has itself asked again later, and it says when (2025-11-25, basic/transports).
    if (coming_ == Coming::events && whole.has_value() && reader_.retry()) attempts_ = 0;
    if (may_continue(whole) && continue_later()) return;
    if (is_told_now(body_.size())) return finish(whole);
    tell_later(body_.size(), [this, whole] { finish(whole); });
  }

 private:
  enum class Coming { nothing, text, events, refusal };

  void piece_came(std::string_view piece) override {
    if (coming_ == Coming::events) {
      read_events(piece, of_stream());
      if (reader_.is_too_long()) give_up();
    } else if (coming_ == Coming::refusal) {
      body_.append(piece.substr(0, max_refusal_bytes - body_.size()));
      if (body_.size() < max_refusal_bytes) return;
      message_.kind == UpstreamMessageKind::request ? finish({}) : end_of_other({});
      cancel();
    } else if (coming_ == Coming::text) {
      if (body_.size() + piece.size() > reader_.max_data()) return give_up();
      body_.append(piece);
    }
  }
  void begin_session(std::string_view id) {
    auto why_not = why_no_session(id);
    if (why_not.empty()) return upstream_->begin_session(id);
    unfit_ = std::move(why_not);
    coming_ = Coming::text;
  }
  // A stream that broke can be, where the upstream has said from where on. What has a short answer has a time for it.
  bool may_continue(const Result<>& whole) const {
    if (message_.is_modern || has_answer_ || reader_.last_id().empty() || has_short_answer(message_)) return false;
    return coming_ == Coming::events || whole.has_error() || is_passing(status_);
  }
  // Its connection is free for others when the stream ends, which it has to soon: nothing belongs to it any more.
  void answer_came() override {
    run_after(time_after_answer, [this] {
      upstream_->has_ended(*this);
      cancel();
    });
  }
  // It sends more than is taken, and may do so for ever.
  void give_up() {
    const auto listener = upstream_->has_ended(*this) ? upstream_->listener() : nullptr;
    cancel();
    if (listener) listener->message_refused(UpstreamHttp::too_long(reader_.max_data()), of_stream());
  }
  // Whatever it has said, the request does not wait any more: that it has no answer is said even where it has one,
  // which then is no news.
  void finish(const Result<>& whole) {
    const auto listener = upstream_->has_ended(*this) ? upstream_->listener() : nullptr;
    if (!listener) return;
    if (coming_ == Coming::events) return listener->request_failed(id(), {about_broken(whole), 0});
    if (whole.has_error()) return listener->request_failed(id(), {http().about(whole.error()), status_});
    if (coming_ == Coming::refusal) return refuse(*listener);
    if (body_.empty()) return fail_request(*listener, "it answers a request with nothing");
    if (!unfit_.empty()) return fail_request(*listener, unfit_);
    listener->message_came(body_, of_stream());
    fail_request(*listener, "what it answers is no answer to the request");
  }
  void fail_request(UpstreamListener& listener, const std::string& why) {
    listener.request_failed(id(), {http().about(why + " (HTTP status " + std::to_string(status_) + ")"), status_});
  }
  // What a body can be that is not asked for so; empty: nothing.
  static std::string why_unfit(const AnswerHead& head) {
    const auto shown = [](std::string_view value) {
      return "\"" + std::string(value.substr(0, max_shown_field)) + "\"";
    };
    const auto type = head.field("Content-Type");
    const auto coding = head.field("Content-Encoding");
    if (!coding.empty() && lower_case(std::string(coding)) != "identity")
      return "it answers in the coding " + shown(coding) + ", which nobody has asked for";
    // Where it does not say what it is, it is looked at.
    if (type.empty() || is_event_stream(head) || is_media_type(type, "application/json")) return {};
    return "it answers with " + shown(type) + ", which is neither JSON nor an event stream";
  }

  std::optional<std::string_view> of_stream() const {
    return id().empty() ? std::nullopt : std::optional<std::string_view>(id());
  }
  Error about_broken(const Result<>& whole) const {
    return http().about(whole.has_error() ? whole.error()
                                          : fail_for_now("its stream ended before the answer had come"));
  }
  void refuse(UpstreamListener& listener) {
    // While a stream is continued, no error of JSON-RPC is the answer to the request.
    const bool is_first = reader_.last_id().empty();
    const bool is_about_access = status_ == 401 || status_ == 403;
    const auto error = is_first && !is_about_access ? error_in(body_, id(), is_passing(status_)) : std::nullopt;
    if (has_session_ && (status_ == 404 || (error && is_session_unknown(*error)))) {
      return listener.request_failed(
          id(), {http().about(fail_for_now("it does not know the session any more")), status_, true, has_begun_});
    }
    if (error) return listener.message_came(*error, of_stream());
    auto why = http().refusal(status_, challenge_, body_);
    if (message_.method == Method::initialize && (status_ == 404 || status_ == 405))
      why.message += R"(; if it speaks the older HTTP+SSE, write "type": "sse")";
    listener.request_failed(id(), {std::move(why), status_, false, has_begun_});
  }
  // As many servers say it in place of 404. Of anything but a ping it may be an error of what was asked.
  bool is_session_unknown(const std::string& error) const {
    constexpr std::array codes{-32000, -32001, upstream_code::invalid_request};
    return message_.method == Method::ping && !is_passing(status_) &&
           std::ranges::find(codes, read_json(error)["error"]["code"].get<std::int64_t>()) != codes.end();
  }
  // A notification or a response. Nobody waits for it.
  void end_of_other(const Result<>& whole) {
    if (message_.taken && !is_success(status_))
      message_.taken(whole.has_error() ? http().about(whole.error()) : http().refusal(status_, challenge_, body_));
    const bool is_in_session = message_.method == Method::notifications_initialized && !message_.is_modern;
    if (is_in_session && is_success(status_)) upstream_->listen();
    if (status_ == 404 && has_session_) upstream_->session_is_gone(status_);
  }

  const UpstreamMessage message_;
  const bool has_session_;
  Coming coming_ = Coming::nothing;
  bool has_begun_ = false;  // a stream of its answer
  unsigned status_ = 0;
  std::string body_;
  std::string challenge_;
  std::string unfit_;  // why the body, if there is one, cannot be an answer; empty: it may be
};

// What an upstream of the legacy era says unasked.
class HttpUpstream::SessionStream final : public Stream {
 public:
  // Where nothing changes, nothing is said.
  explicit SessionStream(std::shared_ptr<HttpUpstream> upstream)
      : Stream(std::move(upstream), std::chrono::milliseconds{0}) {}

  void begin() { send(upstream_->stream_request({}, silence_)); }

  void head_came(const AnswerHead& head) override {
    status_ = head.status;
    is_open_ = is_success(status_) && is_event_stream(head);
    if (!is_open_ || !reader_.last_id().empty()) return;
    if (const auto listener = upstream_->listener()) listener->may_have_missed();
  }
  void all_came(const Result<>& whole) override {
    if (is_cancelled()) return;
    // It has none, which 405 says, or does not let this host hear it.
    const bool may_come_back = whole.has_error() || is_open_ || is_passing(status_);
    if (status_ == 404 && upstream_->session_is_gone(status_)) return;
    if (!may_come_back) {
      // What it will not continue may be heard from now on.
      if (reader_.last_id().empty()) return;
      reader_.forget_place();
    }
    if (attempts_ >= max_attempts) attempts_ = max_attempts - 1;
    status_ = 0;
    is_open_ = false;
    continue_later();
  }

 private:
  void piece_came(std::string_view piece) override {
    if (is_open_) read_events(piece, std::nullopt);
  }

  unsigned status_ = 0;
  bool is_open_ = false;
};

// The end of a session, until the upstream has answered it. What it answers is of no interest.
class HttpUpstream::Farewell final : public AnswerListener {
 public:
  explicit Farewell(std::shared_ptr<UpstreamHttp> http) : http_(std::move(http)) {}

  void head_came(const AnswerHead&) override {}
  bool body_came(std::string_view) override { return true; }
  void ended(const Result<>&) override {
    const MutexLock lock(mutex_);
    is_over_ = true;
    over_.notify_all();
  }

  void wait(std::chrono::milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    MutexLock lock(mutex_);
    while (!is_over_ && over_.wait_until(lock, until)) {
    }
  }

 private:
  const std::shared_ptr<UpstreamHttp> http_;  // until then
  Mutex mutex_;
  Condition over_;
  bool is_over_ GUARDED_BY(mutex_) = false;
};

Result<> HttpUpstream::begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds /*patience*/) {
  const MutexLock lock(mutex_);
  listener_ = std::move(listener);
  return {};
}

Result<> HttpUpstream::send(UpstreamMessage message) {
  // The end of its stream is how a request is cancelled.
  if (message.is_modern && message.method == Method::notifications_cancelled) return {};
  const auto& settings = http_->settings();
  auto request = http_->request("POST", settings.url);
  // Where nothing changes, nothing is said.
  if (message.method == Method::subscriptions_listen) request.times.silence = {};
  if (!message.is_modern) request.times.head = request.times.silence = silence_while_asking;
  // Nobody cancels these.
  if (has_short_answer(message)) request.times.whole = settings.silence;
  if (message.kind != UpstreamMessageKind::request) request.times.whole = settings.connect_time + farewell_time;
  request.add("Content-Type", "application/json");
  request.add("Accept", "application/json, text/event-stream");
  if (message.is_modern) {
    if (message.method) request.add("Mcp-Method", name_of(*message.method));
    if (!message.name.empty()) request.add("Mcp-Name", encode_mcp_header_value(message.name));
    for (const auto& [name, value] : message.fields)
      request.add(name, value);
  }
  request.body = std::move(message.text);
  std::shared_ptr<Post> post;
  {
    const MutexLock lock(mutex_);
    if (is_closed_) return fail("the connection to the upstream is closed");
    const bool is_legacy = !message.is_modern && message.method != Method::initialize;
    if (is_legacy && !message.revision.empty()) revision_ = message.revision;
    // What it asks may be answered by who does not know what has been agreed.
    const auto& revision = is_legacy ? revision_ : message.revision;
    if (!revision.empty()) request.add("MCP-Protocol-Version", revision);
    const bool has_session = is_legacy && !session_.empty();
    if (has_session) request.add("Mcp-Session-Id", session_);
    const auto id = message.id;
    post = std::make_shared<Post>(shared_from_this(), std::move(message), has_session);
    if (!id.empty()) posts_.insert_or_assign(id, post);
  }
  post->send(std::move(request));
  return {};
}

void HttpUpstream::abandon(std::string_view id) {
  std::shared_ptr<Post> post;
  {
    const MutexLock lock(mutex_);
    const auto found = posts_.find(id);
    if (found == posts_.end()) return;
    post = std::move(found->second);
    posts_.erase(found);
  }
  post->cancel();
}

void HttpUpstream::close() {
  std::map<std::string, std::shared_ptr<Post>, std::less<>> posts;
  std::shared_ptr<SessionStream> stream;
  std::shared_ptr<Farewell> farewell;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(is_closed_, true)) return;
    posts.swap(posts_);
    stream = std::move(stream_);
    if (!session_.empty()) farewell = farewell_ = std::make_shared<Farewell>(http_);
    listener_.reset();
  }
  if (farewell) {
    auto request = http_->request("DELETE", http_->settings().url);
    add_session(request);
    request.times.whole = farewell_time;
    http_->send(std::move(request), farewell);
  }
  for (const auto& [id, post] : posts)
    post->cancel();
  if (stream) stream->cancel();
}

void HttpUpstream::wait_until_closed(std::chrono::milliseconds patience) {
  std::shared_ptr<Farewell> farewell;
  {
    // Whoever comes later does not wait again: the event loops may have ended.
    const MutexLock lock(mutex_);
    farewell = std::move(farewell_);
  }
  if (farewell) farewell->wait(std::min(patience, farewell_time));
}

bool HttpUpstream::has_ended(const Post& post) {
  const MutexLock lock(mutex_);
  const auto found = posts_.find(post.id());
  if (found == posts_.end() || found->second.get() != &post) return false;
  posts_.erase(found);
  return true;
}

void HttpUpstream::begin_session(std::string_view id) {
  const MutexLock lock(mutex_);
  session_ = id;
}

void HttpUpstream::listen() {
  std::shared_ptr<SessionStream> stream;
  {
    const MutexLock lock(mutex_);
    if (is_closed_ || stream_) return;
    stream = stream_ = std::make_shared<SessionStream>(shared_from_this());
  }
  stream->begin();
}

bool HttpUpstream::session_is_gone(unsigned status) {
  {
    const MutexLock lock(mutex_);
    // Without one, it is the path that is not there.
    if (session_.empty()) return false;
  }
  const auto why = fail_for_now("it does not know the session any more (HTTP status " + std::to_string(status) + ")");
  if (const auto heard_by = listener()) heard_by->ended(http_->about(why));
  return true;
}

std::shared_ptr<UpstreamListener> HttpUpstream::listener() {
  const MutexLock lock(mutex_);
  return listener_.lock();
}

OutgoingRequest HttpUpstream::stream_request(const std::string& last_id, std::chrono::milliseconds silence) {
  auto request = http_->request("GET", http_->settings().url);
  request.add("Accept", "text/event-stream");
  if (!last_id.empty()) request.add("Last-Event-ID", last_id);
  request.times.silence = silence;
  request.is_idempotent = true;
  add_session(request);
  return request;
}

void HttpUpstream::add_session(OutgoingRequest& request) {
  const MutexLock lock(mutex_);
  if (!revision_.empty()) request.add("MCP-Protocol-Version", revision_);
  if (!session_.empty()) request.add("Mcp-Session-Id", session_);
}

std::shared_ptr<UpstreamTransport> make_http_upstream(std::shared_ptr<UpstreamHttp> http) {
  if (http->settings().sse) return std::make_shared<SseUpstream>(std::move(http));
  return std::make_shared<HttpUpstream>(std::move(http));
}

Result<std::shared_ptr<UpstreamTransport>> HttpUpstreams::make(HttpUpstreamSettings settings,
                                                               std::shared_ptr<UpstreamHttp>& http) {
  http = std::make_shared<UpstreamHttp>(std::move(settings), loops_, http.get());
  auto made = make_http_upstream(http);
  const MutexLock lock(mutex_);
  if (is_closed_) return fail_for_now("the host is ending");
  std::erase_if(made_, [](const auto& each) { return each.expired(); });
  made_.emplace_back(made);
  return made;
}

void HttpUpstreams::close(std::chrono::milliseconds patience) {
  std::vector<std::shared_ptr<UpstreamTransport>> open;
  {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    for (const auto& each : made_)
      if (auto transport = each.lock()) open.push_back(std::move(transport));
    made_.clear();
  }
  for (const auto& each : open)
    each->close();
  const auto until = std::chrono::steady_clock::now() + patience;
  for (const auto& each : open) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    each->wait_until_closed(std::max(left, std::chrono::milliseconds(0)));
  }
}

}  // namespace mcph
