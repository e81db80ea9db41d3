// That whoever sends a token has the key that it is bound to (RFC 9449: DPoP). Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"

namespace mcph {

// What a proof is about.
struct ProvenRequest {
  std::string_view method;
  std::string_view url;  // without a query
  std::string_view token;
  std::string_view key;  // the thumbprint of the one that the token is bound to
};

// The names of the algorithms that proofs may be signed with, for clients.
std::vector<std::string> proof_algorithms();

class Proofs {
 public:
  using Time = std::chrono::system_clock::time_point;

  // By which the clocks of a client and of this host may differ.
  static constexpr std::chrono::seconds window{300};

  // At most twice as many are remembered; with more in their time the oldest could be used again.
  explicit Proofs(std::size_t capacity = 500'000) : capacity_(capacity) {}

  // An error says why the proof, a field's value, proves nothing. Each proves it once.
  Result<> check(std::string_view proof, const ProvenRequest& request, Time now);

 private:
  // Whether it is new.
  bool remember(const std::string& name, Time now);

  const std::size_t capacity_;
  Mutex mutex_;
  Time began_ GUARDED_BY(mutex_){};
  std::unordered_set<std::uint64_t> recent_ GUARDED_BY(mutex_);
  std::unordered_set<std::uint64_t> older_ GUARDED_BY(mutex_);
};

}  // namespace mcph
