// Whose certificates the servers of a client may have, read when that is needed first. Shared by all connections that
// trust the same; any thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/file_identity.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "http/tls/client_tls_context.hpp"

namespace mcph {

class TrustedAuthorities {
 public:
  using Clock = std::chrono::steady_clock;

  // The file is in PEM; empty: those that this machine trusts. They are doubted in vain for so long after they have
  // been read: a server that is tried again and again does not have them read each time.
  explicit TrustedAuthorities(std::filesystem::path file = {}, Clock::duration between_reads = std::chrono::minutes{1})
      : file_(std::move(file)), between_reads_(between_reads) {}

  Result<std::shared_ptr<const ClientTlsContext>> context();
  // A server could not be connected to with these, which may be others by now: they are read anew, unless they have
  // just been.
  void doubt();
  // They are read anew if they are a file's that has been replaced or written since they were read.
  void see_changes();

 private:
  const std::filesystem::path file_;
  const Clock::duration between_reads_;
  Mutex mutex_;
  std::shared_ptr<const ClientTlsContext> context_ GUARDED_BY(mutex_);  // null: to be read
  Clock::time_point read_ GUARDED_BY(mutex_);
  std::optional<FileIdentity> identity_ GUARDED_BY(mutex_);  // of the file, before it was read; nothing: there is none
};

}  // namespace mcph
