#include "auth/issuers.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <tuple>
#include <utility>

#include "auth/key_source.hpp"
#include "base/ascii.hpp"
#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "jose/json_web_signature.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_token_bytes = std::size_t{16} << 10;
// That a refused token, or a question that failed, is not asked about again for.
constexpr std::chrono::seconds refusal_lifetime{10};
constexpr std::chrono::seconds failure_lifetime{1};

// RFC 6750 section 2.1.
bool is_token_text(std::string_view text) {
  const auto end = text.find_last_not_of('=') + 1;
  return end > 0 && std::ranges::all_of(text.substr(0, end), [](char c) {
           return is_alphanumeric(c) || std::string_view("-._~+/").find(c) != std::string_view::npos;
         });
}

// For whom an issuer's tokens must be, and how they are read for who somebody is and what they may, as the operator
// says it.
std::string terms_of(const IssuerSettings& settings, const ImpliedScopes& implied) {
  std::string terms = settings.trust_without_audience ? "anybody" : "";
  for (const auto& text :
       {settings.introspection_url, settings.subject_claim, settings.groups_claim, settings.roles_claim})
    terms.append("\n").append(text);
  for (const auto& audience : settings.audiences)
    terms.append("\naudience ").append(audience);
  for (const auto& [scope, others] : implied) {
    terms.append("\nscope ").append(scope);
    for (const auto& other : others)
      terms.append(" ").append(other);
  }
  return terms;
}

}  // namespace

Result<std::shared_ptr<Issuers>> Issuers::create(Settings settings, HttpCaller& caller, Log& log, const Issuers* before,
                                                 const Issuer::Clock& clock) {
  const auto wanted = std::move(settings.issuers);
  const auto audiences = std::move(settings.audiences);
  auto asking = before == nullptr ? std::make_shared<Asking>() : before->asking_;
  std::shared_ptr<Issuers> issuers(new Issuers(std::move(settings), std::move(asking), log));
  for (const auto& each : wanted) {
    Trusted trusted;
    if (before != nullptr) {
      const auto same = [&](const Trusted& other) { return other.issuer->settings() == each; };
      const auto found = std::ranges::find_if(before->trusted_, same);
      if (found != before->trusted_.end()) trusted = *found;
    }
    if (trusted.issuer == nullptr) {
      trusted.issuer = std::make_shared<Issuer>(each, make_key_source(each, caller), log, clock);
      if (const auto* const same_keys = before == nullptr ? nullptr : before->with_keys_of(each))
        trusted.issuer->begin_with(*same_keys);
    }
    if (!each.jwks_file.empty()) trusted.issuer->refresh_keys();
    if (!each.introspection_url.empty()) {
      auto introspection = Introspection::create(each, caller);
      if (introspection.has_value()) {
        trusted.introspection = *std::move(introspection);
      } else if (!trusted.introspection) {
        return fail("the issuer \"" + each.name + "\" cannot be asked about tokens: " + introspection.error().message);
      } else {
        log.warning("secret not read", {{"issuer", each.name}, {"reason", introspection.error().message}});
      }
    }
    trusted.audiences = each.audiences.empty() ? audiences : each.audiences;
    trusted.terms = terms_of(each, issuers->implied_);
    issuers->trusted_.push_back(std::move(trusted));
  }
  return issuers;
}

// What changes in its table may be about something else than its keys.
const Issuer* Issuers::with_keys_of(const IssuerSettings& settings) const {
  const auto source = [](const IssuerSettings& of) { return std::tie(of.issuer, of.jwks_url, of.jwks_file); };
  const auto found = std::ranges::find_if(
      trusted_, [&](const Trusted& each) { return source(each.issuer->settings()) == source(settings); });
  return found == trusted_.end() ? nullptr : found->issuer.get();
}

Result<Principal, CredentialError> Issuers::authenticate(std::string_view token, Time now) {
  if (token.size() > max_token_bytes) return invalid_credential("the token is too long");
  const auto digest = sha256(token);
  if (auto known = known_.find(digest, now)) {
    if (known->keys == nullptr) return std::move(known->who);
    const auto is_current = [&](const Trusted& trusted) { return trusted.issuer->keys() == known->keys; };
    const auto by = std::ranges::find_if(trusted_, is_current);
    if (by != trusted_.end()) {
      by->issuer->refresh_old_keys();
      return std::move(known->who);
    }
  }
  if (auto refused = refused_.find(digest, now)) return std::move(refused->who);
  const auto signature = JsonWebSignature::read(token);
  if (signature.has_value()) return verify(*signature, token, digest, now);
  if (!is_token_text(token)) return invalid_credential("it has characters that no token has");
  // One that is almost a JSON Web Token is nobody else's business.
  const auto dots = std::ranges::count(token, '.');
  const auto answers =
      std::ranges::find_if(trusted_, [](const Trusted& each) { return each.introspection.has_value(); });
  if (answers == trusted_.end() || dots == 2 || dots == 4)
    return invalid_credential("it is no token of this server or its issuers");
  return ask(token, digest, *answers);
}

Result<Principal, CredentialError> Issuers::verify(const JsonWebSignature& token, std::string_view text,
                                                   const std::string& digest, Time now) {
  const auto document = JsonDocument::read(token.payload);
  if (document.has_error() || !document->root().is_object()) return invalid_credential("the token has no claims");
  const auto claims = document->root();
  const auto by = claims.find("iss");
  const auto found =
      std::ranges::find_if(trusted_, [&](const Trusted& each) { return by.is(each.issuer->settings().issuer); });
  if (found == trusted_.end()) return invalid_credential("the token's issuer is none that this server trusts");
  if (found->introspection) return ask(text, digest, *found);
  const auto keys = found->issuer->keys();
  auto identity = found->issuer->verify(token, claims, found->audiences, now);
  if (identity.has_error()) return identity.error();
  identity->terms = found->terms;
  const auto expiry = identity->expiry;
  auto principal = make_principal(*std::move(identity));
  // Of keys that have come in between, another request will find it out again.
  if (keys != nullptr) known_.add(digest, {principal, expiry, keys});
  return principal;
}

CredentialError Issuers::ask(std::string_view token, const std::string& digest, const Trusted& whom) {
  const bool is_known = asking_->good.has(digest);
  {
    const MutexLock lock(mutex_);
    if (asking_->counts[is_known] >= max_pending && !asked_.contains(digest))
      return {CredentialError::Kind::unavailable, "too many tokens are being asked about"};
  }
  const auto settle = [self = shared_from_this(), digest, token = std::string(token), whom,
                       is_known](std::function<void()> done) {
    {
      const MutexLock lock(self->mutex_);
      // The answer may have come since it was looked for.
      const auto now = std::chrono::system_clock::now();
      const bool is_new = !self->known_.find(digest, now) && !self->refused_.find(digest, now);
      if (is_new) {
        auto& [is_about_known, waiting] = self->asked_.try_emplace(digest, Pending{is_known}).first->second;
        waiting.push_back(std::exchange(done, nullptr));
        if (waiting.size() > 1) return;
        ++self->asking_->counts[is_about_known];
      }
    }
    if (done) return done();
    try {
      const auto take = [self, digest, whom](Introspection::Answer answer) {
        self->take_answer(digest, whom, std::move(answer));
      };
      whom.introspection->ask(token, whom.audiences, take);
    } catch (const std::bad_alloc&) {
      self->go_on(digest);
    }
  };
  return {CredentialError::Kind::unsettled, {}, settle};
}

void Issuers::take_answer(const std::string& digest, const Trusted& whom, Introspection::Answer answer) {
  try {
    if (!answer.trouble.empty()) {
      log_.warning("issuer not asked about a token",
                   {{"issuer", whom.issuer->settings().name}, {"reason", answer.trouble}});
    }
    if (answer.who.has_value()) {
      answer.who->terms = whom.terms;
      // Some issuers name a token by its own text, which nobody must read in the audit log.
      if (sha256(answer.who->credential) == digest) answer.who->credential.clear();
    }
    note_answer(digest, std::move(answer.who));
  } catch (const std::bad_alloc&) {
    // Who waits for it asks again.
  }
  go_on(digest);
}

void Issuers::note_answer(const std::string& digest, Result<Identity, CredentialError> answer) {
  const auto now = std::chrono::system_clock::now();
  if (answer.has_value()) {
    const auto until = std::min(answer->expiry, now + answer_lifetime);
    known_.add(digest, {make_principal(*std::move(answer)), until});
    asking_->good.add(digest, {anonymous, until});
  } else {
    const bool failed = answer.error().kind == CredentialError::Kind::unavailable;
    refused_.add(digest, {answer.error(), now + (failed ? failure_lifetime : refusal_lifetime)});
  }
}

void Issuers::go_on(const std::string& digest) {
  std::vector<std::function<void()>> waiting;
  {
    const MutexLock lock(mutex_);
    auto asked = asked_.extract(digest);
    if (asked.empty()) return;
    --asking_->counts[asked.mapped().is_about_known];
    waiting = std::move(asked.mapped().waiting);
  }
  for (const auto& done : waiting)
    done();
}

std::vector<Issuer::Fetches> Issuers::fetches() const {
  std::vector<Issuer::Fetches> all;
  for (const auto& each : trusted_)
    all.push_back(each.issuer->fetches());
  return all;
}

bool Issuers::trusts(const Identity& identity) const {
  const auto found = std::ranges::find_if(
      trusted_, [&](const Trusted& each) { return each.issuer->settings().issuer == identity.issuer; });
  if (found == trusted_.end() || found->terms != identity.terms) return false;
  if (identity.signing_key.empty()) return true;
  found->issuer->note_use();
  const auto keys = found->issuer->keys();
  return keys == nullptr || keys->has(identity.signing_key);
}

void Issuers::refresh_old_keys() {
  for (const auto& each : trusted_) {
    if (each.issuer->take_use()) each.issuer->refresh_old_keys();
  }
}

Principal Issuers::make_principal(Identity identity) const {
  identity.scopes = with_implied(identity.scopes, implied_);
  if (roles_ != nullptr) {
    const auto roles = roles_->roles_of(Principal(identity));
    identity.roles.assign(roles.begin(), roles.end());
  }
  return Principal(std::move(identity));
}

}  // namespace mcph
