// What new connections of a TLS server are opened with: a certificate and its key, who issues the certificates of
// clients, and which algorithms are good enough. Immutable once made, and shared with the connections, which go on with
// theirs when another takes its place; any thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "http/tls/options.hpp"

struct ssl_ctx_st;

namespace mcph {

class TlsContext {
 public:
  using Time = std::chrono::system_clock::time_point;

  // Reads the files. Clients of `before` resume their sessions with it, unless what is asked of them has changed; null:
  // there is none. An error names the file and what is wrong: it cannot be read or others may change it, it is
  // incomplete, the certificate is not good now, or the key is another one's.
  static Result<std::shared_ptr<const TlsContext>> load(const TlsOptions& options, const TlsContext* before, Time now);

  // After which clients refuse the certificate.
  Time expiry() const { return expiry_; }
  // Whether both have read the same.
  bool is_same(const TlsContext& other) const { return digest_ == other.digest_; }
  ssl_ctx_st* native() const { return context_.get(); }

 private:
  TlsContext();
  Result<> use_certificate(const std::filesystem::path& file, Time now);
  Result<> use_key(const std::filesystem::path& file);
  Result<> ask_clients(const TlsOptions& options);

  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
  Time expiry_;
  std::string digest_;  // of the files, but for the key's, which the certificate settles
};

}  // namespace mcph
