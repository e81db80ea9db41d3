#include "auth/access_state.hpp"

#include <algorithm>
#include <openssl/crypto.h>
#include <utility>

#include "auth/own_issuers.hpp"
#include "auth/proof.hpp"
#include "auth/token.hpp"
#include "base/ascii.hpp"

namespace mcph {
namespace {

// In a time that does not tell where they differ.
bool equal_digests(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// What follows the scheme (RFC 9110 section 11.4), whose name has no case; nothing for another scheme.
std::optional<std::string_view> credential_of(std::string_view scheme, std::optional<std::string_view> authorization) {
  if (!authorization || authorization->size() < scheme.size()) return std::nullopt;
  for (std::size_t i = 0; i < scheme.size(); ++i) {
    if (lower_case((*authorization)[i]) != scheme[i]) return std::nullopt;
  }
  auto credential = *authorization;
  credential.remove_prefix(std::min(credential.find_first_not_of(' ', scheme.size()), credential.size()));
  return credential;
}

}  // namespace

std::shared_ptr<const AccessState> AccessState::open(std::shared_ptr<const RolePolicy> roles,
                                                     ConnectionCredentials connections) {
  return std::shared_ptr<const AccessState>(
      new AccessState(std::move(roles), false, {.connections = std::move(connections)}));
}

std::shared_ptr<const AccessState> AccessState::with_credentials(std::shared_ptr<const RolePolicy> roles,
                                                                 Credentials credentials) {
  const auto records = std::move(credentials.tokens);
  const std::shared_ptr<AccessState> state(new AccessState(std::move(roles), true, std::move(credentials)));
  for (const auto& record : records) {
    Identity identity{.issuer = std::string(this_host),
                      .subject = record.subject,
                      .name = record.subject,
                      .claimed_roles = record.roles,
                      .credential = record.id,
                      .expiry = record.expiry.value_or(Time::max())};
    const auto principal = state->make_principal(std::move(identity));
    auto rights = state->roles_->rights_of(state->roles_->roles_of(principal));
    state->tokens_.emplace(record.id, Token{record, principal, std::move(rights)});
  }
  return state;
}

Result<Principal, CredentialError> AccessState::authenticate(const PresentedCredential& presented, Time now) const {
  auto found = find_principal(presented, now);
  if (found.has_error() && log_ != nullptr) tell_refusal(presented, found.error());
  return found;
}

void AccessState::tell_refusal(const PresentedCredential& presented, const CredentialError& error) const {
  using Kind = CredentialError::Kind;
  if (error.kind == Kind::unsettled || error.kind == Kind::needs_nonce || !log_->writes(Log::Level::debug)) return;
  const auto source = presented.source.text();
  const auto reason = error.kind == Kind::missing ? std::string("there is none") : error.description;
  if (error.credential.empty()) return log_->debug("credential refused", {{"source", source}, {"reason", reason}});
  log_->debug("credential refused", {{"source", source}, {"reason", reason}, {"token", error.credential}});
}

Result<Principal, CredentialError> AccessState::find_principal(const PresentedCredential& presented, Time now) const {
  if (!asks_) return anonymous;
  const auto bearer = credential_of("bearer ", presented.authorization);
  const auto proven = issuers_ == nullptr ? std::nullopt : credential_of("dpop ", presented.authorization);
  // Which no issuer is to hear of.
  if (proven && is_host_token(*proven)) return invalid_credential("a token of this host needs the scheme Bearer");
  if (bearer && (issuers_ == nullptr || is_host_token(*bearer))) return authenticate_token(*bearer, now);
  if (bearer || proven) {
    auto principal = issuers_->authenticate(bearer ? *bearer : *proven, now);
    if (principal.has_error()) {
      auto error = principal.error();
      error.by_proof = proven.has_value();
      return error;
    }
    const auto possession = check_possession(principal->identity(), presented, proven, now);
    if (possession.has_value()) return bounded(*std::move(principal), presented);
    auto error = possession.error();
    if (error.by_proof && resource_.needs_nonces) error.nonce = issuers_->proofs().nonce(now);
    return error;
  }
  return authenticate_connection(presented, now);
}

Result<Principal, CredentialError> AccessState::authenticate_connection(const PresentedCredential& presented,
                                                                        Time now) const {
  auto identity = connections_.identify(presented);
  if (identity.has_error()) return identity.error();
  if (identity->has_value()) {
    if (now >= (*identity)->expiry) return invalid_credential("the client's certificate has expired");
    return make_principal(**std::move(identity));
  }
  if (roles_->has_role(anonymous_role)) return anonymous;
  return CredentialError{CredentialError::Kind::missing};
}

// A token that is bound to a certificate is of use as long as that is.
Principal AccessState::bounded(Principal principal, const PresentedCredential& presented) {
  if (principal.identity().bound_to_certificate.empty()) return principal;
  const auto until = presented.peer->certificate->expiry;
  if (until >= principal.identity().expiry) return principal;
  auto identity = principal.identity();
  identity.expiry = until;
  return Principal(std::move(identity));
}

Principal AccessState::make_principal(Identity identity) const {
  const auto roles = roles_->roles_of(Principal(identity));
  identity.roles.assign(roles.begin(), roles.end());
  return Principal(std::move(identity));
}

Result<void, CredentialError> AccessState::check_possession(const Identity& identity,
                                                            const PresentedCredential& presented,
                                                            std::optional<std::string_view> token, Time now) const {
  if (!identity.bound_to_certificate.empty()) {
    const auto* const certificate = presented.peer == nullptr ? nullptr : presented.peer->certificate.get();
    const bool is_shown = certificate != nullptr && now < certificate->expiry &&
                          equal_digests(certificate->thumbprint, identity.bound_to_certificate);
    if (!is_shown) return invalid_credential("the token is bound to a certificate that the client has not shown");
  }
  if (identity.bound_to.empty()) {
    if (!token) return {};
    return invalid_credential("the token is bound to no key, and needs the scheme Bearer");
  }
  if (!token) return needs_proof("the token is bound to a key, and needs the scheme DPoP");
  if (presented.proofs.size() != 1) return invalid_proof("there must be one, in the field DPoP");
  const auto url = resource_.origin + std::string(presented.path);
  const ProvenRequest request{presented.method, url, *token, identity.bound_to, resource_.needs_nonces};
  return issuers_->proofs().check(presented.proofs.front(), request, now);
}

Result<Principal, CredentialError> AccessState::authenticate_token(std::string_view text, Time now) const {
  const auto id = token_id(text);
  // That tells strangers nothing, because the prefix, the length and the checksum of tokens are no secrets.
  if (!id && is_host_token(text))
    return invalid_credential("the token is not whole, or has been changed; copy it again");
  if (!id) return invalid_credential("it is no token of this server");
  const auto found = tokens_.find(*id);
  if (found == tokens_.end() || !equal_digests(token_digest(text), found->second.record.digest))
    return invalid_credential("it is no token of this server");
  const auto& record = found->second.record;
  if (!record.revoked && record.is_good(now)) return found->second.principal;
  auto error = invalid_credential(record.revoked ? "the token has been revoked" : "the token has expired");
  error.credential = record.id;
  return error;
}

const AccessState::Token* AccessState::token_of(const Principal& principal) const {
  if (principal.is_anonymous() || principal.identity().issuer != this_host) return nullptr;
  const auto found = tokens_.find(principal.identity().credential);
  return found == tokens_.end() || found->second.record.revoked ? nullptr : &found->second;
}

bool AccessState::is_good(const Principal& principal, Time now) const {
  if (principal.is_anonymous()) return takes_anonymous();
  if (now >= principal.identity().expiry) return false;
  const auto& issuer = principal.identity().issuer;
  if (issuer == process_starter || issuer == operator_issuer) return true;
  if (issuer == certificate_issuer || issuer == proxy_issuer) return connections_.vouches_for(principal.identity());
  if (issuer != this_host) return issuers_ != nullptr && issuers_->trusts(principal.identity());
  const auto* const token = token_of(principal);
  return token != nullptr && token->record.is_good(now);
}

bool AccessState::has_expiry_between(Time after, Time until) const {
  // Whose tokens expire when is not known of those of issuers, nor of certificates.
  constexpr std::chrono::milliseconds granularity{500};
  const bool is_unknown = issuers_ != nullptr || connections_.takes_certificates();
  if (is_unknown && after.time_since_epoch() / granularity != until.time_since_epoch() / granularity) return true;
  return std::ranges::any_of(tokens_, [&](const auto& each) {
    const auto& expiry = each.second.record.expiry;
    return expiry && after < *expiry && *expiry <= until;
  });
}

std::set<std::string> AccessState::roles_of(const Principal& principal) const {
  if (principal.is_anonymous() || principal.identity().issuer != this_host) return roles_->roles_of(principal);
  // A token may have been given other roles since.
  const auto* const token = token_of(principal);
  return token != nullptr ? roles_->roles_of(token->principal) : std::set<std::string>();
}

Principal AccessState::with_roles_of_now(const Principal& principal) const {
  if (principal.is_anonymous() || roles_ == nullptr) return principal;
  const auto roles = roles_of(principal);
  if (std::ranges::equal(roles, principal.identity().roles)) return principal;
  auto identity = principal.identity();
  identity.roles.assign(roles.begin(), roles.end());
  return Principal(std::move(identity)).narrowed(principal.narrowing());
}

std::shared_ptr<const Rights> AccessState::rights_of(const Principal& principal) const {
  if (roles_ == nullptr) return nullptr;
  if (!principal.is_anonymous() && principal.identity().issuer == operator_issuer) return nullptr;
  // What a token may do is what it may do now, and not when it was looked at.
  if (!principal.is_anonymous() && principal.identity().issuer == this_host) {
    const auto* const token = token_of(principal);
    return token != nullptr ? token->rights : roles_->rights_of({});
  }
  const bool can_get_scopes = !principal.is_anonymous() && principal.identity().issuer != process_starter &&
                              !connections_.takes_issuer(principal.identity().issuer);
  const auto issuer = can_get_scopes ? principal.identity().issuer : std::string();
  return roles_->rights_of(roles_->roles_of(principal), can_get_scopes, issuer);
}

}  // namespace mcph
