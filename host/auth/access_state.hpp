// What is known at one moment of who may do what: the roles that the configuration has, the tokens that have been made,
// and the issuers whose tokens are taken. Immutable once made, but for what issuers say, and replaced as a whole when
// one of them changes; any thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "auth/connection_credentials.hpp"
#include "auth/credential_error.hpp"
#include "auth/issuers.hpp"
#include "auth/policy.hpp"
#include "auth/protected_resource.hpp"
#include "auth/token_file.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "catalog/rights.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

// By what clients prove who they are.
struct Credentials {
  TokenRecords tokens = {};
  std::shared_ptr<Issuers> issuers = nullptr;  // null: there are none
  ProtectedResource resource = {};             // for which they issue tokens
  ConnectionCredentials connections = {};
  Log* log = nullptr;  // which outlives it, and hears of each that is refused; null: nobody does
};

class AccessState final : public Policy {
 public:
  using Time = std::chrono::system_clock::time_point;

  // Without credentials that could prove anything, everybody is anonymous, and may do what that role may; everything if
  // there are no roles at all. A proxy may be trusted all the same to say where requests come from.
  static std::shared_ptr<const AccessState> open(std::shared_ptr<const RolePolicy> roles,
                                                 ConnectionCredentials connections = {});
  static std::shared_ptr<const AccessState> with_credentials(std::shared_ptr<const RolePolicy> roles,
                                                             Credentials credentials);

  // Whether a request may be refused for lack of a credential.
  bool asks_for_credentials() const { return asks_; }

  // Whether one without a credential is served all the same.
  bool takes_anonymous() const { return !asks_ || roles_->has_role(anonymous_role); }

  // Who sends a request.
  Result<Principal, CredentialError> authenticate(const PresentedCredential& presented, Time now) const;

  // The roles that the principal has now; those in their identity are what they were when they proved who they are.
  std::set<std::string> roles_of(const Principal& principal) const;
  // The same principal with these in their identity; the argument itself where nothing has changed.
  Principal with_roles_of_now(const Principal& principal) const;

  // What has proven the principal to be who they are still does.
  bool is_good(const Principal& principal, Time now) const;

  // A token may have become too old after the one time, and by the other.
  bool has_expiry_between(Time after, Time until) const;

  const ProtectedResource& resource() const { return resource_; }
  const ConnectionCredentials& connections() const { return connections_; }
  // Null: there are none.
  const std::shared_ptr<Issuers>& issuers() const { return issuers_; }

  std::shared_ptr<const Rights> rights_of(const Principal& principal) const override;

 private:
  struct Token {
    TokenRecord record;
    Principal principal;
    std::shared_ptr<const Rights> rights;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  AccessState(std::shared_ptr<const RolePolicy> roles, bool asks, Credentials credentials)
      : roles_(std::move(roles)),
        asks_(asks),
        issuers_(std::move(credentials.issuers)),
        resource_(std::move(credentials.resource)),
        connections_(std::move(credentials.connections)),
        log_(credentials.log == nullptr ? nullptr
                                        : std::make_unique<RateLimitedLog>(*credentials.log, max_lines_of_clients)) {}
  Result<Principal, CredentialError> find_principal(const PresentedCredential& presented, Time now) const;
  // So that an operator finds out why a client is refused. No part of a credential is told.
  void tell_refusal(const PresentedCredential& presented, const CredentialError& error) const;
  // With the roles of now, which plugins are told, too.
  Principal make_principal(Identity identity) const;
  static Principal bounded(Principal principal, const PresentedCredential& presented);
  // As it is now. Null: the principal has none, or it has been revoked.
  const Token* token_of(const Principal& principal) const;
  Result<Principal, CredentialError> authenticate_token(std::string_view text, Time now) const;
  Result<Principal, CredentialError> authenticate_connection(const PresentedCredential& presented, Time now) const;
  // Whether whoever presents the token has the key or the certificate that it is bound to, if it is to one.
  Result<void, CredentialError> check_possession(const Identity& identity, const PresentedCredential& presented,
                                                 std::optional<std::string_view> token, Time now) const;

  const std::shared_ptr<const RolePolicy> roles_;  // null: there are none
  const bool asks_;
  const std::shared_ptr<Issuers> issuers_;
  const ProtectedResource resource_;
  const ConnectionCredentials connections_;
  const std::unique_ptr<RateLimitedLog> log_;                                 // null: nobody hears of refusals
  std::unordered_map<std::string, Token, TextHash, std::equal_to<>> tokens_;  // by id
};

}  // namespace mcph
