// The keys of checkpoints: Ed25519 (RFC 8032) in PEM files (RFC 5958, RFC 7468), as `openssl genpkey -algorithm
// ed25519` and `openssl pkey -pubout` write them, too. Immutable values; any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

struct evp_pkey_st;

namespace mcph {

class AuditSigningKey {
 public:
  // Of a file that nobody but its owner may write, and its group besides may read.
  static Result<AuditSigningKey> read(const std::filesystem::path& file);

  // 64 bytes.
  std::string sign(std::string_view text) const;

 private:
  explicit AuditSigningKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::shared_ptr<evp_pkey_st> key_;
};

class AuditPublicKey {
 public:
  static Result<AuditPublicKey> read(const std::filesystem::path& file);

  bool has_signed(std::string_view text, std::string_view signature) const;

 private:
  explicit AuditPublicKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}

  std::shared_ptr<evp_pkey_st> key_;
};

// Makes a key, writes it to the file, which must not be there, for its owner alone, and returns the public one in PEM.
Result<std::string> make_audit_key(const std::filesystem::path& file);

}  // namespace mcph
