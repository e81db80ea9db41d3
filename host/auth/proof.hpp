// That whoever sends a token has the key that it is bound to (RFC 9449: DPoP). Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "auth/credential_error.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"

namespace mcph {

// What a proof is about.
struct ProvenRequest {
  std::string_view method;
  std::string_view url;  // without a query
  std::string_view token;
  std::string_view key;  // the thumbprint of the one that the token is bound to
  bool needs_nonce = false;
};

// The names of the algorithms that proofs may be signed with, for clients.
std::vector<std::string> proof_algorithms();

class Proofs {
 public:
  using Time = std::chrono::system_clock::time_point;

  // By which the clocks of a client and of this host may differ.
  static constexpr std::chrono::seconds window{300};

  // At most twice as many are remembered; with more in their time the oldest could be used again.
  static constexpr std::size_t default_capacity = 500'000;
  explicit Proofs(std::size_t capacity = default_capacity);
  // With the nonces of others that have the same key, which is secret.
  explicit Proofs(std::string nonce_key, std::size_t capacity = default_capacity);

  // An error says why the proof, a field's value, proves nothing. Each proves it once.
  Result<void, CredentialError> check(std::string_view proof, const ProvenRequest& request, Time now);

  // What shows that a proof that repeats it has been made since a certain time (RFC 9449 section 9). It counts for
  // nonce_lifetime at least, and for twice that at most.
  std::string nonce(Time now) const { return nonce_of(now.time_since_epoch() / nonce_lifetime); }
  static constexpr std::chrono::minutes nonce_lifetime{5};

 private:
  // Whether it is new.
  bool remember(const std::string& name, Time now);
  std::string nonce_of(std::int64_t period) const;
  bool is_nonce(std::string_view text, Time now) const;

  const std::size_t capacity_;
  const std::string nonce_key_;
  Mutex mutex_;
  Time began_ GUARDED_BY(mutex_){};
  std::unordered_set<std::uint64_t> recent_ GUARDED_BY(mutex_);
  std::unordered_set<std::uint64_t> older_ GUARDED_BY(mutex_);
};

}  // namespace mcph
