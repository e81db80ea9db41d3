#include "sources/upstream/sse_upstream.hpp"

#include <algorithm>
#include <utility>

#include "http/rules.hpp"
#include "sources/upstream/upstream_answer.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_said_bytes = std::size_t{4} << 10;
constexpr std::size_t max_shown_url = 256;
// Of what is answered to a POST, which is nothing unless it is refused.
constexpr std::size_t max_post_answer = std::size_t{64} << 10;
// Since then it is said with each message (2025-06-18, changelog).
constexpr std::string_view revision_is_said_since = "2025-06-18";

// Without "." and ".." (RFC 3986 section 5.2.4).
std::string without_dots(std::string_view path) {
  std::string plain;
  while (!path.empty()) {
    const auto segment = path.substr(0, path.find('/', 1));
    path.remove_prefix(segment.size());
    const bool is_up = segment == "/..";
    if (!is_up && segment != "/.") {
      plain += segment;
      continue;
    }
    if (is_up) plain.resize(plain.empty() ? 0 : plain.rfind('/'));
    if (path.empty()) plain += '/';
  }
  return plain;
}

}  // namespace

class SseUpstream::Events final : public UpstreamAnswer {
 public:
  explicit Events(std::shared_ptr<SseUpstream> upstream)
      : UpstreamAnswer(upstream->http_),
        upstream_(std::move(upstream)),
        reader_(upstream_->http_->settings().max_message_bytes) {}

  void head_came(const AnswerHead& head) override {
    status_ = head.status;
    challenge_ = head.field("WWW-Authenticate");
    is_stream_ = status_ == 200 && is_media_type(head.field("Content-Type"), "text/event-stream");
  }
  void all_came(const Result<>& whole) override {
    if (is_stream_)
      return upstream_->end(
          http().about(whole.has_error() ? whole.error() : fail_for_now("it ended its event stream")));
    if (whole.has_error()) return upstream_->end(http().about(whole.error()));
    if (status_ != 200) return upstream_->end(http().refusal(status_, challenge_, said_));
    upstream_->end(http().about("it answers with no event stream; if it speaks Streamable HTTP, leave out \"type\""));
  }

 private:
  void piece_came(std::string_view piece) override {
    if (!is_stream_) {
      said_.append(piece.substr(0, max_said_bytes - std::min(max_said_bytes, said_.size())));
      return;
    }
    reader_.read(piece, [this](const EventStreamReader::Event& event) {
      if (event.type == "endpoint") return upstream_->take_endpoint(event.data);
      if (event.type != "message") return;
      if (is_told_now(event.data.size())) return tell(event.data, event.is_too_long);
      tell_later(event.data.size(),
                 [this, data = std::string(event.data), is_too_long = event.is_too_long] { tell(data, is_too_long); });
    });
  }
  void tell(std::string_view data, bool is_too_long) {
    const auto listener = upstream_->listener();
    if (!listener) return;
    if (is_too_long) return listener->message_refused(UpstreamHttp::too_long(reader_.max_data()), std::nullopt);
    listener->message_came(data, std::nullopt);
  }

  const std::shared_ptr<SseUpstream> upstream_;
  EventStreamReader reader_;
  unsigned status_ = 0;
  bool is_stream_ = false;
  std::string challenge_;
  std::string said_;
};

class SseUpstream::Post final : public AnswerListener {
 public:
  Post(std::shared_ptr<SseUpstream> upstream, std::string id, std::function<void(const Result<>&)> taken)
      : upstream_(std::move(upstream)), id_(std::move(id)), taken_(std::move(taken)) {}

  void head_came(const AnswerHead& head) override {
    status_ = head.status;
    challenge_ = head.field("WWW-Authenticate");
    if (taken_ && is_taken()) taken_(Result<>());
  }
  bool body_came(std::string_view piece) override {
    said_.append(piece.substr(0, max_said_bytes - std::min(max_said_bytes, said_.size())));
    return true;
  }
  void ended(const Result<>& whole) override {
    if (is_taken()) return;
    const auto& http = *upstream_->http_;
    const auto why = whole.has_error() ? http.about(whole.error()) : http.refusal(status_, challenge_, said_);
    if (taken_) taken_(why);
    const auto listener = id_.empty() ? nullptr : upstream_->listener();
    if (listener) listener->request_failed(id_, {why, status_});
  }

 private:
  bool is_taken() const { return status_ >= 200 && status_ < 300; }

  const std::shared_ptr<SseUpstream> upstream_;
  const std::string id_;
  const std::function<void(const Result<>&)> taken_;
  unsigned status_ = 0;
  std::string challenge_;
  std::string said_;
};

Result<> SseUpstream::begin(std::weak_ptr<UpstreamListener> listener, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  {
    const MutexLock lock(mutex_);
    listener_ = std::move(listener);
  }
  auto request = http_->request("GET", http_->settings().url);
  request.add("Accept", "text/event-stream");
  // Nothing comes while a call is at work or its client is asked; otherwise pings show whether it is there.
  request.times.silence = {};
  const auto events = std::make_shared<Events>(shared_from_this());
  events->send(std::move(request));
  Result<> outcome;
  {
    MutexLock lock(mutex_);
    while (!endpoint_ && !end_ && changed_.wait_until(lock, until)) {
    }
    if (endpoint_) {
      events_ = events;
      return {};
    }
    outcome = end_ ? *end_
                   : http_->about(fail_for_now("it did not say within " + std::to_string(patience.count()) +
                                               " ms where messages are sent to"));
    end_ = outcome.error();
  }
  events->cancel();
  return outcome;
}

Result<> SseUpstream::send(UpstreamMessage message) {
  std::optional<HttpUrl> endpoint;
  std::string revision;
  {
    const MutexLock lock(mutex_);
    if (end_) return *end_;
    endpoint = endpoint_;
    if (!message.revision.empty() && message.method != Method::initialize) revision_ = message.revision;
    revision = revision_;
  }
  auto request = http_->request("POST", *endpoint);
  request.max_body = max_post_answer;
  request.times.whole = http_->settings().silence;
  request.add("Content-Type", "application/json");
  if (revision >= revision_is_said_since) request.add("MCP-Protocol-Version", revision);
  request.body = std::move(message.text);
  http_->send(std::move(request),
              std::make_shared<Post>(shared_from_this(), std::move(message.id), std::move(message.taken)));
  return {};
}

void SseUpstream::close() {
  std::shared_ptr<Events> events;
  {
    const MutexLock lock(mutex_);
    listener_.reset();
    if (!end_) end_ = fail("the connection to the upstream is closed");
    events = events_.lock();
  }
  changed_.notify_all();
  if (events) events->cancel();
}

void SseUpstream::take_endpoint(std::string_view text) {
  auto endpoint = resolve_http_url(http_->settings().url, text);
  {
    const MutexLock lock(mutex_);
    if (endpoint_ || end_) return;
    if (endpoint.has_value() && is_same_origin(*endpoint, http_->settings().url)) {
      endpoint_ = *std::move(endpoint);
      return changed_.notify_all();
    }
  }
  end(http_->about("it wants messages sent to another origin, which no upstream may: " +
                   std::string(without_query(text).substr(0, max_shown_url))));
}

void SseUpstream::end(const Error& why) {
  std::shared_ptr<UpstreamListener> heard_by;
  {
    const MutexLock lock(mutex_);
    if (end_) return;
    end_ = why;
    // Who waits in begin is told there.
    if (endpoint_) heard_by = listener_.lock();
    changed_.notify_all();
  }
  if (heard_by) heard_by->ended(why);
}

std::shared_ptr<UpstreamListener> SseUpstream::listener() {
  const MutexLock lock(mutex_);
  return listener_.lock();
}

Result<HttpUrl> resolve_http_url(const HttpUrl& base, std::string_view reference) {
  const auto scheme = base.tls ? std::string("https:") : std::string("http:");
  if (reference.find("://") < reference.find_first_of("/?#")) return read_http_url(reference, true);
  if (reference.starts_with("//")) return read_http_url(scheme + std::string(reference), true);
  const auto origin = scheme + "//" + base.authority;
  const auto base_path = base.target.substr(0, base.target.find('?'));
  if (reference.starts_with('?')) return read_http_url(origin + base_path + std::string(reference), true);
  auto path = std::string(without_query(reference));
  const auto query = reference.substr(path.size());
  if (!path.starts_with('/')) path.insert(0, base_path.substr(0, base_path.rfind('/') + 1));
  return read_http_url(origin + without_dots(path) + std::string(query), true);
}

}  // namespace mcph
