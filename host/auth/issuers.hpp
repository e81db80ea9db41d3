// All issuers whose tokens are taken, and what is known of those tokens. Any thread.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "auth/credential_error.hpp"
#include "auth/introspection.hpp"
#include "auth/issuer.hpp"
#include "auth/issuer_settings.hpp"
#include "auth/known_tokens.hpp"
#include "auth/policy.hpp"
#include "auth/proof.hpp"
#include "base/mutex.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "http/client/http_caller.hpp"
#include "telemetry/rate_limited_log.hpp"

namespace mcph {

class Issuers final : public std::enable_shared_from_this<Issuers> {
 public:
  using Time = std::chrono::system_clock::time_point;

  // What an issuer has said of a token counts for so long.
  static constexpr std::chrono::seconds answer_lifetime{30};

  // How many tokens are asked about at once by those that go on from each other: of those that have been good before,
  // and of the others. So strangers, who can make any number, keep out nobody who is at work.
  static constexpr std::size_t max_pending = 100;

  struct Settings {
    std::vector<IssuerSettings> issuers;
    std::vector<std::string> audiences = {};  // of those that name none
    ImpliedScopes implied = {};
    std::shared_ptr<const RolePolicy> roles = nullptr;  // that plugins are told of; null: none
    // What has been used once has been so for all that have it. Never null.
    std::shared_ptr<Proofs> proofs = std::make_shared<Proofs>();
  };

  // Those of the same settings are those of `before`, with their keys, which may be those of another server; null:
  // there are none. With them go the places of tokens that have been good. The caller and the log outlive it and what
  // it does. An error names the issuer.
  static Result<std::shared_ptr<Issuers>> create(Settings settings, HttpCaller& caller, Log& log,
                                                 const Issuers* before = nullptr,
                                                 const Issuer::Clock& clock = std::chrono::steady_clock::now);

  Result<Principal, CredentialError> authenticate(std::string_view token, Time now);
  Proofs& proofs() { return *proofs_; }
  // Whether what an issuer has said of the identity counts still: its token has been signed with a key that it still
  // has, and taken on the terms that still are. Only compares, because some ask under locks of their own.
  bool trusts(const Identity& identity) const;
  // What is open may go on for long in which nobody brings a token: fetches the keys that are old of each issuer about
  // whose keys trusts() has been asked since the last time. Under no lock, because it may read a file.
  void refresh_old_keys();
  // Of each, how fetching its keys has gone.
  std::vector<Issuer::Fetches> fetches() const;

 private:
  struct Trusted {
    std::shared_ptr<Issuer> issuer;
    std::optional<Introspection> introspection;
    std::vector<std::string> audiences;
    std::string terms;  // on which its word is taken
  };

  struct Pending {
    bool is_about_known = false;  // a token that has been good before
    std::vector<std::function<void()>> waiting = {};
  };

  // Of all that go on from each other: a change of the configuration takes from nobody the place of a token that has
  // been good, and more servers ask about no more tokens.
  struct Asking {
    KnownTokens good;  // that they were is all that counts: of whom, and for what, each server finds out for itself
    std::array<std::atomic<std::size_t>, 2> counts = {};  // of those that are asked about, by is_about_known
  };

  Issuers(Settings settings, std::shared_ptr<Asking> asking, Log& log)
      : implied_(std::move(settings.implied)),
        roles_(std::move(settings.roles)),
        proofs_(std::move(settings.proofs)),
        asking_(std::move(asking)),
        log_(log, 1) {}

  Result<Principal, CredentialError> verify(const JsonWebSignature& token, std::string_view text,
                                            const std::string& digest, Time now);
  CredentialError ask(std::string_view token, const std::string& digest, const Trusted& whom);
  void take_answer(const std::string& digest, const Trusted& whom, Introspection::Answer answer);
  void note_answer(const std::string& digest, Result<Identity, CredentialError> answer);
  // Nobody is asked about the token any more: who waits for that looks at it again.
  void go_on(const std::string& digest);
  Principal make_principal(Identity identity) const;
  // Null: none has its keys from there.
  const Issuer* with_keys_of(const IssuerSettings& settings) const;

  const ImpliedScopes implied_;
  const std::shared_ptr<const RolePolicy> roles_;
  const std::shared_ptr<Proofs> proofs_;
  const std::shared_ptr<Asking> asking_;
  RateLimitedLog log_;  // of what strangers cause
  std::vector<Trusted> trusted_;
  KnownTokens known_;
  KnownTokens refused_;  // apart, because strangers can make any number

  Mutex mutex_;
  std::unordered_map<std::string, Pending> asked_ GUARDED_BY(mutex_);  // by the digests of the tokens
};

}  // namespace mcph
