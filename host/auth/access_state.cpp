#include "auth/access_state.hpp"

#include <algorithm>
#include <openssl/crypto.h>
#include <utility>

#include "auth/token.hpp"
#include "base/ascii.hpp"

namespace mcph {
namespace {

constexpr auto this_host = "host";

CredentialError invalid(std::string description) {
  return {CredentialError::Kind::invalid, std::move(description)};
}

// In a time that does not tell where they differ.
bool equal_digests(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

// What follows the scheme (RFC 9110 section 11.4), whose name has no case; nothing for another scheme.
std::optional<std::string_view> bearer_credential(std::string_view authorization) {
  static constexpr std::string_view scheme = "bearer ";
  if (authorization.size() < scheme.size()) return std::nullopt;
  for (std::size_t i = 0; i < scheme.size(); ++i) {
    if (lower_case(authorization[i]) != scheme[i]) return std::nullopt;
  }
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' ', scheme.size()), authorization.size()));
  return authorization;
}

}  // namespace

std::shared_ptr<const AccessState> AccessState::open(std::shared_ptr<const RolePolicy> roles) {
  return std::shared_ptr<const AccessState>(new AccessState(std::move(roles), false));
}

std::shared_ptr<const AccessState> AccessState::with_tokens(std::shared_ptr<const RolePolicy> roles,
                                                            const TokenRecords& tokens) {
  const std::shared_ptr<AccessState> state(new AccessState(std::move(roles), true));
  for (const auto& record : tokens) {
    Identity identity{.issuer = this_host,
                      .subject = record.subject,
                      .name = record.subject,
                      .roles = record.roles,
                      .credential = record.id,
                      .expiry = record.expiry.value_or(Time::max())};
    const auto roles_now = state->roles_->roles_of(Principal(identity));
    // Those that plugins are told, too.
    identity.roles.assign(roles_now.begin(), roles_now.end());
    const Principal principal(std::move(identity));
    const auto& rights = state->roles_->rights_of(roles_now);
    state->tokens_.emplace(record.id, Token{record, principal, &rights});
  }
  return state;
}

Result<Principal, CredentialError> AccessState::authenticate(std::optional<std::string_view> authorization,
                                                             Time now) const {
  if (!asks_) return anonymous;
  const auto credential = authorization ? bearer_credential(*authorization) : std::nullopt;
  if (credential) return authenticate_token(*credential, now);
  if (roles_->has_role(anonymous_role)) return anonymous;
  return CredentialError{CredentialError::Kind::missing};
}

Result<Principal, CredentialError> AccessState::authenticate_token(std::string_view text, Time now) const {
  const auto id = token_id(text);
  if (!id) return invalid("it is no token of this server");
  const auto found = tokens_.find(*id);
  if (found == tokens_.end() || !equal_digests(token_digest(text), found->second.record.digest))
    return invalid("it is no token of this server");
  const auto& record = found->second.record;
  if (record.revoked) return invalid("the token has been revoked");
  if (!record.is_good(now)) return invalid("the token has expired");
  return found->second.principal;
}

const AccessState::Token* AccessState::token_of(const Principal& principal) const {
  if (principal.is_anonymous() || principal.identity().issuer != this_host) return nullptr;
  const auto found = tokens_.find(principal.identity().credential);
  return found == tokens_.end() ? nullptr : &found->second;
}

bool AccessState::is_good(const Principal& principal, Time now) const {
  if (principal.is_anonymous()) return !asks_ || roles_->has_role(anonymous_role);
  if (now >= principal.identity().expiry) return false;
  if (principal.identity().issuer != this_host) return true;
  const auto* const token = token_of(principal);
  return token != nullptr && token->record.is_good(now);
}

bool AccessState::has_expiry_between(Time after, Time until) const {
  return std::ranges::any_of(tokens_, [&](const auto& each) {
    const auto& expiry = each.second.record.expiry;
    return expiry && after < *expiry && *expiry <= until;
  });
}

const Rights* AccessState::rights_of(const Principal& principal) const {
  if (roles_ == nullptr) return nullptr;
  // What a token may do is what it may do now, and not when it was looked at.
  if (!principal.is_anonymous() && principal.identity().issuer == this_host) {
    const auto* const token = token_of(principal);
    return token != nullptr && !token->record.revoked ? token->rights : &roles_->rights_of({});
  }
  return &roles_->rights_of(roles_->roles_of(principal));
}

}  // namespace mcph
