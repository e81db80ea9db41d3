#include "sources/upstream/client_token.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "http/client/oauth.hpp"

namespace mcph {
namespace {

constexpr std::string_view resource_metadata_path = "/.well-known/oauth-protected-resource";
constexpr std::size_t max_metadata_bytes = std::size_t{256} << 10;
// Where the issuer does not say how long a token is good.
constexpr std::chrono::seconds usual_life{600};
constexpr std::chrono::seconds max_margin{30};
constexpr std::chrono::seconds between_renewals{5};
// Of each that an issuer says, in bytes.
constexpr std::size_t max_words = 200;

Error about_url(const std::string& url, const std::string& why) {
  return fail_for_now(std::string(without_query(url)) + ": " + why);
}

// Of the same resource or issuer, however the URL is written (RFC 3986 section 6.2.3).
bool is_same_url(const HttpUrl& left, const HttpUrl& right) {
  return is_same_origin(left, right) && left.target == right.target;
}

std::string origin_of(const HttpUrl& url) {
  return (url.tls ? "https://" : "http://") + url.authority;
}

// What went wrong at a token endpoint (RFC 6749 section 5.2).
std::string words_of_refusal(const HttpAnswer& answer) {
  auto words = "it gives no token (HTTP status " + std::to_string(answer.status);
  const auto json = parse_json(answer.body);
  if (json.has_value() && json->is_object()) {
    for (const auto* const member : {"error", "error_description"}) {
      if (const auto text = json->value(member, Json()); text.is_string())
        words.append(", ").append(utf8_prefix(text.get_ref<const std::string&>(), max_words));
    }
  }
  return words + ")";
}

void get_document(HttpCaller& caller, const std::string& address, const HttpUrl& url,
                  std::function<void(const Result<std::string>&)> done) {
  caller.send({.url = url, .fields = {{"Accept", "application/json"}}, .max_answer = max_metadata_bytes},
              [address, done = std::move(done)](Result<HttpAnswer> answer) {
                if (answer.has_error()) return done(about_url(address, answer.error().message));
                if (answer->status != 200)
                  return done(about_url(address, "it answers with the HTTP status " + std::to_string(answer->status)));
                done(std::move(answer->body));
              });
}

}  // namespace

ClientToken::ClientToken(const HttpUpstreamSettings& settings, std::unique_ptr<HttpCaller> caller)
    : settings_(settings), caller_(std::move(caller)) {}

void ClientToken::get(Got got) {
  std::string token;
  {
    const MutexLock lock(mutex_);
    const bool is_good = !token_.empty() && Clock::now() < expiry_;
    const bool must_be_told = settings_.credentials->token_url.empty() && !issuer_;
    if (!is_good && !must_be_told) {
      waiting_.push_back(std::move(got));
      got = nullptr;
      if (waiting_.size() > 1) return;
    }
    if (is_good) token = token_;
  }
  got ? got(token) : fetch();
}

void ClientToken::renew(const std::string& used, std::string_view challenge, Got got) {
  std::string newer;
  {
    const MutexLock lock(mutex_);
    if (token_ != used) newer = token_;
    const auto now = Clock::now();
    if (newer.empty() && waiting_.empty() && !used.empty() && renewed_ && now - *renewed_ < between_renewals)
      newer = used;
    if (newer.empty()) {
      if (!used.empty()) renewed_ = now;
      token_.clear();
      metadata_url_ = challenge_parameter(challenge, "resource_metadata");
      wanted_scope_ = challenge_parameter(challenge, "scope");
      waiting_.push_back(std::exchange(got, nullptr));
      if (waiting_.size() > 1) return;
    }
  }
  got ? got(newer) : fetch();
}

void ClientToken::fetch() {
  std::optional<Issuer> known;
  {
    const MutexLock lock(mutex_);
    known = issuer_;
  }
  if (known) return ask_for_token(*known);
  find_issuer([self = shared_from_this()](const Result<Issuer>& issuer) {
    if (issuer.has_error()) return self->end(issuer.error(), {});
    {
      const MutexLock lock(self->mutex_);
      self->issuer_ = *issuer;
    }
    self->ask_for_token(*issuer);
  });
}

void ClientToken::find_issuer(const Found& found) {
  // The secret goes only to whom the operator has named: nothing that the upstream says leads it elsewhere.
  if (const auto& text = settings_.credentials->token_url; !text.empty()) {
    auto url = read_http_url(text, true);
    return found(url.has_error() ? Result<Issuer>(url.error()) : Result<Issuer>(Issuer{*url}));
  }
  // 2026-07-28, basic/authorization, "Protected Resource Metadata Discovery Requirements".
  const auto origin = origin_of(settings_.url) + std::string(resource_metadata_path);
  const auto path = settings_.url.target.substr(0, settings_.url.target.find('?'));
  std::vector<std::string> urls;
  if (path != "/") urls.push_back(origin + path);
  urls.push_back(origin);
  {
    const MutexLock lock(mutex_);
    // Nobody but the upstream itself is asked, whatever it names.
    const auto named = metadata_url_.empty() ? Result<HttpUrl>(fail("")) : read_http_url(metadata_url_, true);
    if (named.has_value() && is_same_origin(*named, settings_.url)) urls = {metadata_url_};
  }
  ask_resource(std::move(urls), {}, found);
}

void ClientToken::ask_resource(std::vector<std::string> urls, std::optional<Error> wrong, const Found& found) {
  const auto address = urls.front();
  urls.erase(urls.begin());
  const auto url = read_http_url(address, true);
  if (url.has_error()) return found(url.error());
  auto heard = [self = shared_from_this(), address, urls = std::move(urls), wrong = std::move(wrong),
                found](const Result<std::string>& text) mutable {
    const bool is_of_origin = address == origin_of(self->settings_.url) + std::string(resource_metadata_path);
    const auto checked = text.has_error() ? Result<Resource>(text.error()) : self->check_resource(*text, is_of_origin);
    if (checked.has_value()) {
      const MutexLock lock(self->mutex_);
      self->supported_scopes_ = checked->scopes;
      self->resource_ = checked->name;
    }
    if (checked.has_value())
      return self->ask_issuer(issuer_metadata_urls(self->settings_.credentials->issuer), {}, found);
    if (text.has_value() && !wrong) wrong = about_url(address, checked.error().message);
    if (urls.empty()) return found(wrong ? *wrong : text.error());
    self->ask_resource(std::move(urls), std::move(wrong), found);
  };
  get_document(*caller_, address, *url, std::move(heard));
}

// Whether it is about this upstream (RFC 9728 section 3.3), and names the issuer. What is at the root of an origin may
// be about all of it; of another document that would be a way to a token that is good elsewhere, too.
Result<ClientToken::Resource> ClientToken::check_resource(const std::string& text, bool is_of_origin) const {
  const auto metadata = parse_json(text);
  if (metadata.has_error() || !metadata->is_object()) return fail("it is no metadata of a protected resource");
  const auto resource = metadata->value("resource", Json());
  const auto said =
      resource.is_string() ? read_http_url(resource.get_ref<const std::string&>(), true) : Result<HttpUrl>(fail(""));
  auto without_key = settings_.url;
  without_key.target = without_query(without_key.target);
  const bool is_ours = said.has_value() && (is_same_url(*said, settings_.url) || is_same_url(*said, without_key));
  const bool has_us = is_of_origin && said.has_value() && is_same_origin(*said, settings_.url) && said->target == "/";
  if (!is_ours && !has_us) return fail("it is the metadata of another resource than " + settings_.place());
  const auto issuers = metadata->value("authorization_servers", Json());
  if (!issuers.is_array()) return fail("it names no authorization_servers");
  const auto& issuer = settings_.credentials->issuer;
  if (std::ranges::find(issuers, Json(issuer)) != issuers.end()) {
    Resource found{is_ours ? settings_.place() : resource.get<std::string>(), {}};
    for (const auto& scope : metadata->value("scopes_supported", Json::array()))
      if (scope.is_string())
        found.scopes.append(found.scopes.empty() ? "" : " ").append(scope.get_ref<const std::string&>());
    return found;
  }
  return fail("its authorization_servers do not have the \"issuer\" that \"oauth\" names, " + issuer);
}

void ClientToken::ask_issuer(std::vector<std::string> urls, std::optional<Error> wrong, const Found& found) {
  const auto address = urls.front();
  urls.erase(urls.begin());
  // Whether it may be in the clear, the operator has said.
  const auto url = read_http_url(address, true);
  if (url.has_error()) return found(url.error());
  auto heard = [self = shared_from_this(), address, urls = std::move(urls), wrong = std::move(wrong),
                found](const Result<std::string>& text) mutable {
    const auto read = text.has_error() ? Result<Issuer>(text.error()) : self->read_metadata(*text);
    if (read.has_value()) return found(read);
    if (text.has_value() && !wrong) wrong = about_url(address, read.error().message);
    if (urls.empty()) return found(wrong ? *wrong : text.error());
    self->ask_issuer(std::move(urls), std::move(wrong), found);
  };
  get_document(*caller_, address, *url, std::move(heard));
}

Result<ClientToken::Issuer> ClientToken::read_metadata(const std::string& text) const {
  const auto metadata = parse_json(text);
  if (metadata.has_error() || !metadata->is_object()) return fail("it is no metadata of an issuer");
  const auto& issuer = settings_.credentials->issuer;
  // Otherwise one issuer could speak for another (RFC 8414 section 3.3).
  if (metadata->value("issuer", Json()) != issuer)
    return fail("it is the metadata of another issuer than " + issuer + ", which \"oauth\" names");
  const auto endpoint = metadata->value("token_endpoint", Json());
  if (!endpoint.is_string()) return fail("it names no token_endpoint");
  // Nothing goes in the clear, unless what the operator has written does.
  const bool is_clear = !issuer.starts_with("https://");
  auto url = read_http_url(endpoint.get_ref<const std::string&>(), read_http_url(issuer).has_error());
  if (url.has_error()) return url.error();
  if (!url->tls && !is_clear) return fail("its token_endpoint does not begin with https://");
  const auto methods = metadata->value("token_endpoint_auth_methods_supported", Json());
  const bool takes_basic =
      !methods.is_array() || std::ranges::find(methods, Json("client_secret_basic")) != methods.end();
  return Issuer{*std::move(url), takes_basic};
}

// 2026-07-28, basic/authorization, "Scope Selection Strategy".
std::string ClientToken::scope() {
  const auto& written = settings_.credentials->scope;
  const MutexLock lock(mutex_);
  return !written.empty() ? written : !wanted_scope_.empty() ? wanted_scope_ : supported_scopes_;
}

std::string ClientToken::resource() {
  const MutexLock lock(mutex_);
  return resource_.empty() ? settings_.place() : resource_;
}

// Not every client may have all that there is. False: nobody has asked for that.
bool ClientToken::wants_less() {
  const MutexLock lock(mutex_);
  if (!settings_.credentials->scope.empty() || !wanted_scope_.empty()) return false;
  return !std::exchange(supported_scopes_, {}).empty();
}

void ClientToken::ask_for_token(const Issuer& issuer) {
  const auto& credentials = *settings_.credentials;
  const auto id = form_encoded(credentials.id);
  const auto secret = form_encoded(credentials.secret);
  auto form = "grant_type=client_credentials&resource=" + form_encoded(resource());
  if (const auto wanted = scope(); !wanted.empty()) form += "&scope=" + form_encoded(wanted);
  if (!issuer.takes_basic) form.append("&client_id=").append(id).append("&client_secret=").append(secret);
  HttpCall call{.url = issuer.url,
                .fields = {{"Accept", "application/json"}, {"Content-Type", "application/x-www-form-urlencoded"}},
                .body = std::move(form),
                .max_answer = max_metadata_bytes};
  if (issuer.takes_basic) call.fields.emplace_back("Authorization", "Basic " + base64_encode(id + ":" + secret));
  const auto address = origin_of(issuer.url) + issuer.url.target;
  caller_->send(std::move(call), [self = shared_from_this(), address, issuer](const Result<HttpAnswer>& answer) {
    if (answer.has_error()) return self->end(about_url(address, answer.error().message), {});
    const auto json = parse_json(answer->body);
    const auto member = [&](const char* name) {
      return json.has_value() && json->is_object() ? json->value(name, Json()) : Json();
    };
    if (answer->status != 200 && member("error") == "invalid_scope" && self->wants_less())
      return self->ask_for_token(issuer);
    if (answer->status != 200) return self->end(about_url(address, words_of_refusal(*answer)), {});
    const auto token = member("access_token");
    const auto type = member("token_type");
    if (!token.is_string() || token.get_ref<const std::string&>().empty())
      return self->end(about_url(address, "its answer has no access_token"), {});
    if (!type.is_string() || lower_case(type.get<std::string>()) != "bearer")
      return self->end(about_url(address, "its token is not of the type Bearer, which is all that MCP has"), {});
    const auto life = member("expires_in");
    self->end(token.get<std::string>(),
              life.is_number_unsigned()
                  ? std::chrono::seconds(std::min(life.get<std::uint64_t>(), std::uint64_t{86400}))
                  : usual_life);
  });
}

void ClientToken::end(const Result<std::string>& token, std::chrono::seconds life) {
  std::vector<Got> waiting;
  {
    const MutexLock lock(mutex_);
    waiting.swap(waiting_);
    if (token.has_value()) {
      token_ = *token;
      expiry_ = Clock::now() + life - std::min(max_margin, life / 10);
    } else {
      // What has been found may have moved.
      issuer_.reset();
    }
  }
  const auto outcome = token.has_value()
                           ? token
                           : Result<std::string>(fail_for_now("there is no token for it: " + token.error().message));
  for (const auto& got : waiting)
    got(outcome);
}

std::string challenge_parameter(std::string_view challenges, std::string_view name) {
  const auto is_name = [](char c) { return is_alphanumeric(c) || c == '_' || c == '-'; };
  for (std::size_t at = challenges.find(name); at != std::string_view::npos; at = challenges.find(name, at + 1)) {
    auto rest = challenges.substr(at + name.size());
    if ((at > 0 && is_name(challenges[at - 1])) || !rest.starts_with('=')) continue;
    rest.remove_prefix(1);
    if (!rest.starts_with('"')) return std::string(rest.substr(0, rest.find_first_of(", ")));
    std::string value;
    for (std::size_t i = 1; i < rest.size() && rest[i] != '"'; ++i) {
      if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
      value += rest[i];
    }
    return value;
  }
  return {};
}

}  // namespace mcph
