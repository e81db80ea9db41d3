// What is known at one moment of who may do what: the roles that the configuration has, and the tokens that have been
// made. Immutable once made, and replaced as a whole when one of both changes; any thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "auth/policy.hpp"
#include "auth/token_file.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "catalog/rights.hpp"

namespace mcph {

// Why a credential proves nothing (RFC 6750 section 3.1).
struct CredentialError {
  enum class Kind {
    missing,  // there is none of a kind that is asked for
    invalid   // it is none of ours, or good no longer
  };
  Kind kind = Kind::missing;
  std::string description = {};  // for whoever sent it; does not help to make another one
};

class AccessState final : public Policy {
 public:
  using Time = std::chrono::system_clock::time_point;

  // Without credentials that could prove anything, everybody is anonymous, and may do what that role may; everything if
  // there are no roles at all.
  static std::shared_ptr<const AccessState> open(std::shared_ptr<const RolePolicy> roles);
  static std::shared_ptr<const AccessState> with_tokens(std::shared_ptr<const RolePolicy> roles,
                                                        const TokenRecords& tokens);

  // Whether a request may be refused for lack of a credential.
  bool asks_for_credentials() const { return asks_; }

  // Who sends a request with this Authorization field; nothing: it has none.
  Result<Principal, CredentialError> authenticate(std::optional<std::string_view> authorization, Time now) const;

  // What has proven the principal to be who they are still does.
  bool is_good(const Principal& principal, Time now) const;

  // A token has become too old after the one time, and by the other.
  bool has_expiry_between(Time after, Time until) const;

  const Rights* rights_of(const Principal& principal) const override;

 private:
  struct Token {
    TokenRecord record;
    Principal principal;
    const Rights* rights = nullptr;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  AccessState(std::shared_ptr<const RolePolicy> roles, bool asks) : roles_(std::move(roles)), asks_(asks) {}
  const Token* token_of(const Principal& principal) const;
  Result<Principal, CredentialError> authenticate_token(std::string_view text, Time now) const;

  const std::shared_ptr<const RolePolicy> roles_;  // null: there are none
  const bool asks_;
  std::unordered_map<std::string, Token, TextHash, std::equal_to<>> tokens_;  // by id
};

}  // namespace mcph
