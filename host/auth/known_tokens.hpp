// What has been found out about tokens, so that it need not be found out for each request: by their digests, never the
// tokens. Bounded; what has not been asked for goes first. Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "auth/credential_error.hpp"
#include "base/mutex.hpp"
#include "base/principal.hpp"
#include "base/result.hpp"
#include "jose/json_web_key.hpp"

namespace mcph {

class KnownTokens {
 public:
  using Time = std::chrono::system_clock::time_point;

  struct Finding {
    Result<Principal, CredentialError> who;
    Time until;  // it is to be found out again
    // By which it was found out; null: by none. It is no finding any more where the issuer has others.
    std::shared_ptr<const JsonWebKeySet> keys = nullptr;
  };

  // There are at most twice as many.
  explicit KnownTokens(std::size_t capacity = 5000) : capacity_(capacity) {}

  std::optional<Finding> find(const std::string& digest, Time now);
  // Whether there is one, also one that is to be found out again.
  bool has(const std::string& digest);
  void add(const std::string& digest, Finding finding);

 private:
  using Findings = std::unordered_map<std::string, Finding>;

  // Returns those that have gone, to be destroyed when nobody waits for it.
  Findings make_room() REQUIRES(mutex_);

  const std::size_t capacity_;
  Mutex mutex_;
  Findings recent_ GUARDED_BY(mutex_);
  Findings older_ GUARDED_BY(mutex_);  // those of them that are asked for become recent again; the others go
};

}  // namespace mcph
