// One issuer whose tokens are taken: it has keys, which are fetched when a token needs one that is not known, never
// before (an issuer that cannot be reached must not keep a server from starting), and rarely (a stranger can name any
// key). Keys that are known go on while the issuer cannot be reached. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "auth/credential_error.hpp"
#include "auth/issuer_settings.hpp"
#include "auth/key_source.hpp"
#include "base/json_document.hpp"
#include "base/mutex.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "jose/json_web_key.hpp"
#include "jose/json_web_signature.hpp"
#include "runtime/current.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class Issuer final : public std::enable_shared_from_this<Issuer> {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // How long after one fetch a key that is not known may cause another; how long if there are no keys yet; and after
  // how long keys are fetched again, because some may have been withdrawn.
  static constexpr std::chrono::seconds fetch_pause{30};
  static constexpr std::chrono::seconds first_fetch_pause{5};
  static constexpr std::chrono::minutes key_lifetime{10};

  // The log outlives it.
  Issuer(IssuerSettings settings, std::unique_ptr<KeySource> source, Log& log, Clock clock);

  // Has the keys of one that has them from the same place. Before it is used.
  void begin_with(const Issuer& other);

  const IssuerSettings& settings() const { return settings_; }
  // Null: none have come yet. Another object as soon as they have been fetched again.
  std::shared_ptr<const JsonWebKeySet> keys() const { return keys_.get(); }

  // Who is meant by a token that says it is this issuer's, of which it must name one of `audiences`.
  Result<Identity, CredentialError> verify(const JsonWebSignature& token, JsonValue claims,
                                           const std::vector<std::string>& audiences,
                                           std::chrono::system_clock::time_point now);

  // How fetching its keys has gone.
  struct Fetches {
    std::string issuer;  // as the configuration names it
    std::uint64_t good = 0;
    std::uint64_t failed = 0;
    bool has_failed_last = false;
  };
  Fetches fetches() const;

  // Fetches keys that have been used for long, or none of which have come, without making anybody wait.
  void refresh_old_keys();
  // The same of keys that may have changed.
  void refresh_keys();

  // Something is open by its keys.
  void note_use() noexcept { in_use_ = true; }
  // Whether that has been noted since the last time.
  bool take_use() noexcept { return in_use_.exchange(false); }

 private:
  using Moment = std::chrono::steady_clock::time_point;

  // Null: keys have been fetched not long ago, and they are those that have been looked at.
  CredentialError::Settle fetch_first(const std::shared_ptr<const JsonWebKeySet>& looked_at);
  bool may_fetch(Moment now) const REQUIRES(mutex_) { return !fetching_ && now >= next_fetch_; }
  // When keys have been fetched, or cannot be for now.
  void settle(std::function<void()> done);
  void fetch() EXCLUDES(mutex_);
  void take(Result<JsonWebKeySet> keys);

  const IssuerSettings settings_;
  const std::unique_ptr<KeySource> source_;
  Log& log_;
  const Clock clock_;
  Current<JsonWebKeySet> keys_{nullptr};
  std::atomic<bool> in_use_ = false;

  mutable Mutex mutex_;
  Fetches fetches_ GUARDED_BY(mutex_);
  bool fetching_ GUARDED_BY(mutex_) = false;
  bool again_ GUARDED_BY(mutex_) = false;  // they may have changed while they were fetched
  Moment next_fetch_ GUARDED_BY(mutex_) = Moment::min();
  Moment fetched_ GUARDED_BY(mutex_) = Moment::min();
  std::vector<std::function<void()>> waiting_ GUARDED_BY(mutex_);
  std::vector<std::string> remarks_ GUARDED_BY(mutex_);  // that have been logged
};

}  // namespace mcph
