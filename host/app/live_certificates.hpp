// The certificates of a TLS server while it serves: their files are watched, and new connections are opened with what
// they hold as soon as that is good. What is not leaves what was there before. Made by a command, which it outlives no
// connection of; any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "config/watched_files.hpp"
#include "http/stream.hpp"
#include "http/tls/options.hpp"
#include "http/tls/tls_context.hpp"
#include "runtime/current.hpp"
#include "telemetry/log.hpp"

namespace mcph {

class LiveCertificates {
 public:
  // Fails where the files hold nothing good. The log outlives it.
  static Result<std::unique_ptr<LiveCertificates>> create(TlsOptions options, Log& log);

  // Begins to watch. Once.
  void run();

  // Which connections are opened with. This outlives it.
  MakeHttpStream make_stream();

  // Why what the files hold now is not taken; empty: it is.
  std::string refusal() const;
  // Of the one that is shown to clients.
  std::chrono::system_clock::time_point expiry() const { return current_.get()->expiry(); }

 private:
  LiveCertificates(TlsOptions options, Log& log);
  void attend(bool changed);
  void take_changes(bool changed);
  void say_expiry(const TlsContext& context) const;

  const TlsOptions options_;
  Log& log_;
  Current<TlsContext> current_{nullptr};
  mutable Mutex mutex_;
  std::string refusal_ GUARDED_BY(mutex_);
  // Of the thread that watches.
  std::chrono::steady_clock::time_point refused_at_{};
  enum class RefusedFiles { none, unsaid, said } refused_files_ = RefusedFiles::none;  // unsaid: not in the log yet
  WatchedFiles watched_;  // last, because its thread uses the others
};

}  // namespace mcph
