#include "auth/introspection.hpp"

#include <chrono>
#include <cstddef>
#include <new>
#include <utility>

#include "auth/claims.hpp"
#include "base/base64.hpp"
#include "base/json_document.hpp"
#include "base/regular_file.hpp"
#include "http/client/oauth.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_answer_bytes = std::size_t{64} << 10;

Introspection::Answer read_answer(const Result<HttpAnswer>& answer, const IssuerSettings& settings,
                                  const std::vector<std::string>& audiences) try {
  const auto no_answer = [](std::string trouble) -> Introspection::Answer {
    return {CredentialError{CredentialError::Kind::unavailable, "the token's issuer cannot be asked now"},
            std::move(trouble)};
  };
  if (answer.has_error()) return no_answer(answer.error().message);
  if (answer->status == 401 || answer->status == 403)
    return no_answer("it does not take this server's client_id and secret (status " + std::to_string(answer->status) +
                     ")");
  if (answer->status != 200) return no_answer("it answered with status " + std::to_string(answer->status));
  const auto claims = JsonDocument::read(answer->body);
  if (claims.has_error() || !claims->root().is_object()) return no_answer("its answer is no JSON object");
  if (const auto active = claims->root().find("active"); !active.is_boolean() || !active.boolean())
    return {invalid_credential("the token is not good, or not any more")};
  auto identity = identity_of_answer(claims->root(), settings, audiences, std::chrono::system_clock::now());
  if (identity.has_error()) return {invalid_credential(identity.error().message)};
  return {*std::move(identity)};
} catch (const std::bad_alloc&) {
  // Whoever asks waits for an answer. This one takes no memory.
  return {CredentialError{CredentialError::Kind::unavailable, "no memory left"}};
}

}  // namespace

Result<std::string> read_client_secret(const std::filesystem::path& file) {
  const auto opened = open_to_read(file);
  if (!opened) return fail(file.string() + ": cannot be opened: " + last_error());
  if (const auto checked = check_owner_only(opened); checked.has_error())
    return fail(file.string() + ": " + checked.error().message);
  auto text = read_regular_file(opened, max_answer_bytes);
  if (text.has_error()) return fail(file.string() + ": " + text.error().message);
  while (text->ends_with('\n') || text->ends_with('\r'))
    text->pop_back();
  if (text->empty()) return fail(file.string() + ": is empty");
  return text;
}

Result<Introspection> Introspection::create(const IssuerSettings& settings, HttpCaller& caller) {
  auto url = read_http_url(settings.introspection_url);
  if (url.has_error()) return url.error();
  const auto secret = read_client_secret(settings.client_secret);
  if (secret.has_error()) return secret.error();
  // RFC 6749 section 2.3.1.
  auto authorization = "Basic " + base64_encode(form_encoded(settings.client_id) + ":" + form_encoded(*secret));
  return Introspection(settings, *std::move(url), std::move(authorization), caller);
}

Introspection::Introspection(IssuerSettings settings, HttpUrl url, std::string authorization, HttpCaller& caller)
    : settings_(std::move(settings)),
      url_(std::move(url)),
      authorization_(std::move(authorization)),
      caller_(&caller) {}

void Introspection::ask(std::string_view token, std::vector<std::string> audiences, Done done) const {
  caller_->send({.url = url_,
                 .fields = {{"Authorization", authorization_},
                            {"Accept", "application/json"},
                            {"Content-Type", "application/x-www-form-urlencoded"}},
                 .body = "token_type_hint=access_token&token=" + form_encoded(token),
                 .max_answer = max_answer_bytes},
                [settings = settings_, audiences = std::move(audiences), done = std::move(done)](
                    const Result<HttpAnswer>& answer) { done(read_answer(answer, settings, audiences)); });
}

}  // namespace mcph
