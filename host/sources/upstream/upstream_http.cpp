#include "sources/upstream/upstream_http.hpp"

#include <atomic>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/mutex.hpp"
#include "base/utf8.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_quoted = 200;
constexpr std::size_t max_refused_body = std::size_t{64} << 10;

bool is_user_agent(const std::string& name) {
  return lower_case(name) == "user-agent";
}

std::string fields_text(const HttpUpstreamSettings& settings) {
  OutgoingRequest request;
  for (const auto& [name, value] : settings.fields)
    if (!is_user_agent(name)) request.add(name, value);
  return std::move(request.fields);
}

std::string user_agent_of(const HttpUpstreamSettings& settings) {
  std::string user_agent;
  for (const auto& [name, value] : settings.fields)
    if (is_user_agent(name)) user_agent = value;
  return user_agent;
}

// What a body says in words: the message of an error of JSON-RPC or OAuth, or a short text.
std::string words_in(const std::string& body) {
  const auto json = parse_json(body);
  if (json.has_value() && json->is_object()) {
    const auto error = json->value("error", Json());
    const auto message = error.is_object() ? error.value("message", Json()) : json->value("error_description", error);
    if (message.is_string()) return std::string(utf8_prefix(message.get_ref<const std::string&>(), max_quoted));
    return {};
  }
  const bool is_page = body.find('<') != std::string::npos;
  return is_page ? std::string() : std::string(utf8_prefix(body, max_quoted));
}

// `request` owns whoever may hold this.
template <class Request>
UpstreamHttp::Sent sent_by(const std::shared_ptr<Request>& request) {
  const auto weak = std::weak_ptr(request);
  return {.cancel =
              [weak] {
                if (const auto in_flight = weak.lock()) in_flight->cancel();
              },
          .resume =
              [weak] {
                if (const auto in_flight = weak.lock()) in_flight->resume();
              }};
}

}  // namespace

// A request with a token. Lives as long as it is in flight.
class UpstreamHttp::Authorized final : public AnswerListener, public std::enable_shared_from_this<Authorized> {
 public:
  Authorized(std::shared_ptr<UpstreamHttp> http, OutgoingRequest request, std::shared_ptr<AnswerListener> listener)
      : http_(std::move(http)), request_(std::move(request)), listener_(std::move(listener)) {}

  void begin() {
    http_->token_->get([self = shared_from_this()](const Result<std::string>& token) { self->send_with(token); });
  }
  void cancel() {
    std::shared_ptr<SentRequest> sent;
    {
      const MutexLock lock(mutex_);
      is_cancelled_ = true;
      sent = sent_.lock();
    }
    if (sent) sent->cancel();
  }
  void resume() {
    std::shared_ptr<SentRequest> sent;
    {
      const MutexLock lock(mutex_);
      sent = sent_.lock();
      may_go_on_ = sent == nullptr;
    }
    if (sent) sent->resume();
  }

  void head_came(const AnswerHead& head) override {
    is_refused_ = head.status == 401 && !is_renewed_;
    refused_bytes_ = 0;
    if (!is_refused_) return listener_->head_came(head);
    challenge_ = head.field("WWW-Authenticate");
  }
  bool body_came(std::string_view piece) override {
    if (!is_refused_) return listener_->body_came(piece);
    refused_bytes_ += piece.size();
    if (refused_bytes_ > max_refused_body) stop_hearing();
    return true;
  }
  void ended(const Result<>& whole) override {
    if (!is_refused_) return listener_->ended(whole);
    is_refused_ = false;
    is_renewed_ = true;
    http_->token_->renew(token_, challenge_,
                         [self = shared_from_this()](const Result<std::string>& token) { self->send_with(token); });
  }

 private:
  // Nothing of why it is refused is of interest, and it may have no end.
  void stop_hearing() {
    std::shared_ptr<SentRequest> sent;
    {
      const MutexLock lock(mutex_);
      sent = sent_.lock();
    }
    if (!sent) return;
    sent->cancel();
    ended({});
  }
  void send_with(const Result<std::string>& token) {
    if (token.has_error()) {
      // Never at once, because who sends may hold what it is told under.
      return boost::asio::post(http_->loops_.context_here(), [self = shared_from_this(), why = token.error()] {
        if (!self->is_cancelled()) self->listener_->ended(why);
      });
    }
    token_ = *token;
    auto request = request_;
    if (!token_.empty()) request.add("Authorization", "Bearer " + token_);
    if (is_cancelled()) return;
    auto sent = http_->client_.send(std::move(request), shared_from_this());
    bool is_late = false;
    bool may_go_on = false;
    {
      const MutexLock lock(mutex_);
      sent_ = sent;
      is_late = is_cancelled_;
      may_go_on = std::exchange(may_go_on_, false);
    }
    // What has come by now may have wanted either.
    if (is_late) return sent->cancel();
    if (may_go_on) sent->resume();
  }
  bool is_cancelled() {
    const MutexLock lock(mutex_);
    return is_cancelled_;
  }

  const std::shared_ptr<UpstreamHttp> http_;
  const OutgoingRequest request_;
  const std::shared_ptr<AnswerListener> listener_;
  std::string token_;
  std::string challenge_;
  bool is_refused_ = false;
  std::size_t refused_bytes_ = 0;
  bool is_renewed_ = false;
  Mutex mutex_;
  std::weak_ptr<SentRequest> sent_ GUARDED_BY(mutex_);  // which owns this
  bool is_cancelled_ GUARDED_BY(mutex_) = false;
  bool may_go_on_ GUARDED_BY(mutex_) = false;  // which was said before it was known what
};

UpstreamHttp::UpstreamHttp(HttpUpstreamSettings settings, EventLoops& loops, const UpstreamHttp* before)
    : settings_(std::move(settings)),
      loops_(loops),
      fields_(fields_text(settings_)),
      authorities_(authorities_after(before)),
      client_(loops, {.authorities = authorities_,
                      .user_agent = user_agent_of(settings_),
                      .max_connections = settings_.max_connections}),
      token_(token_after(before)) {}

std::shared_ptr<TrustedAuthorities> UpstreamHttp::authorities_after(const UpstreamHttp* before) const {
  if (before == nullptr || before->settings_.ca_file != settings_.ca_file)
    return std::make_shared<TrustedAuthorities>(settings_.ca_file);
  before->authorities_->see_changes();
  return before->authorities_;
}

// One that is away is tried again and again, and its issuer is not to be asked each time.
std::shared_ptr<ClientToken> UpstreamHttp::token_after(const UpstreamHttp* before) const {
  if (!settings_.credentials) return nullptr;
  const bool is_for_same = before != nullptr && before->authorities_ == authorities_ &&
                           before->settings_.url_text == settings_.url_text &&
                           before->settings_.credentials == settings_.credentials;
  if (is_for_same) return before->token_;
  HttpClientOptions options;
  options.authorities = authorities_;
  return std::make_shared<ClientToken>(settings_, std::make_unique<NetworkCaller>(loops_, std::move(options)));
}

OutgoingRequest UpstreamHttp::request(std::string_view method, const HttpUrl& url) const {
  return {.url = url,
          .method = method,
          .fields = fields_,
          .max_body = 0,
          .times = {.connect = settings_.connect_time, .head = settings_.silence, .silence = settings_.silence}};
}

UpstreamHttp::Sent UpstreamHttp::send(OutgoingRequest request, std::shared_ptr<AnswerListener> listener) {
  if (token_ == nullptr) return sent_by(client_.send(std::move(request), std::move(listener)));
  const auto authorized = std::make_shared<Authorized>(shared_from_this(), std::move(request), std::move(listener));
  authorized->begin();
  return sent_by(authorized);
}

Error UpstreamHttp::about(const Error& why) const {
  auto error = about(why.message);
  error.code = why.code;
  return error;
}

Error UpstreamHttp::too_long(std::size_t max_bytes) {
  return fail("sent a message of more than " + std::to_string(max_bytes) + " bytes");
}

Error UpstreamHttp::refusal(unsigned status, const std::string& challenge, const std::string& body) const {
  auto why = "it answers with the HTTP status " + std::to_string(status);
  if (status == 401) {
    why += token_ == nullptr ? ": it wants credentials, or other ones; write them in \"headers\" or \"oauth\""
                             : ": it does not take the token that its issuer has given";
  } else if (status == 403) {
    const auto scope = challenge_parameter(challenge, "scope");
    why += ": the credentials do not allow this" + (scope.empty() ? "" : "; it wants the scope " + scope);
  } else if (status >= 300 && status < 400) {
    why += ": it wants to be asked elsewhere, and no redirect is followed; write the URL that it redirects to";
  }
  if (const auto words = words_in(body); !words.empty()) why += " (" + words + ")";
  auto error = about(why);
  if (status == 408 || status == 429 || status >= 500) error.code = ErrorCode::unavailable;
  return error;
}

}  // namespace mcph
