// Whose certificates the servers of a client may have, read when that is needed first. Shared by all connections that
// trust the same; any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "http/tls/client_tls_context.hpp"

namespace mcph {

class TrustedAuthorities {
 public:
  // The file is in PEM; empty: those that this machine trusts.
  explicit TrustedAuthorities(std::filesystem::path file = {}) : file_(std::move(file)) {}

  Result<std::shared_ptr<const ClientTlsContext>> context();
  // A server could not be connected to with these, which may be others by now: they are read anew, unless they have
  // just been.
  void doubt();

 private:
  const std::filesystem::path file_;
  Mutex mutex_;
  std::shared_ptr<const ClientTlsContext> context_ GUARDED_BY(mutex_);  // null: to be read
  std::chrono::steady_clock::time_point read_ GUARDED_BY(mutex_);
};

}  // namespace mcph
