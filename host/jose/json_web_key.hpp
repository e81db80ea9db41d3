// JSON Web Keys (RFC 7517) that verify signatures: RSA and elliptic curves (RFC 7518 section 6), Ed25519 and Ed448
// (RFC 8037), and secrets. A key is for the algorithms of its kind only, and for just one where it says so (RFC 8725
// section 3.1). Immutable; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

struct evp_md_ctx_st;
struct evp_pkey_st;

namespace mcph {

// RFC 7518 section 3.1, RFC 8037 section 3.1.
enum class SignatureAlgorithm {
  hs256,
  hs384,
  hs512,
  rs256,
  rs384,
  rs512,
  ps256,
  ps384,
  ps512,
  es256,
  es384,
  es512,
  eddsa
};

// By its name in JSON, which has a case. Nothing for any other one, above all "none".
std::optional<SignatureAlgorithm> signature_algorithm(std::string_view name);

class JsonWebKeySet;

class JsonWebKey {
 public:
  // Refuses what is not for signatures, what is too weak, and what should not be here: a private key.
  static Result<JsonWebKey> read(const nlohmann::json& json);

  // Empty: it has none.
  const std::string& id() const { return id_; }
  // As below; empty: it is in no set.
  const std::string& thumbprint() const { return thumbprint_; }
  // Whoever can verify with it can sign.
  bool is_secret() const { return !secret_.empty(); }
  bool is_for(SignatureAlgorithm algorithm) const;
  // Whether the signature of the text is this key's; false where the key is not for the algorithm.
  bool verify(SignatureAlgorithm algorithm, std::string_view text, std::string_view signature) const;

 private:
  friend JsonWebKeySet;

  JsonWebKey() = default;
  static Result<JsonWebKey> read_rsa(const nlohmann::json& json);
  static Result<JsonWebKey> read_elliptic_curve(const nlohmann::json& json);
  static Result<JsonWebKey> read_edwards_curve(const nlohmann::json& json);
  static Result<JsonWebKey> read_secret(const nlohmann::json& json);
  // For a key that verifies more than once. False: OpenSSL can verify nothing with it here.
  bool prepare();
  // To verify with; null: OpenSSL cannot here.
  std::shared_ptr<const evp_md_ctx_st> make_context(SignatureAlgorithm algorithm) const;
  bool verify_secret(SignatureAlgorithm algorithm, std::string_view text, std::string_view signature) const;

  std::string id_;
  std::string thumbprint_;
  std::vector<SignatureAlgorithm> algorithms_;
  std::shared_ptr<evp_pkey_st> key_;  // null: a secret
  // For each of the algorithms, once it is prepared: what is copied to verify with, which OpenSSL takes its time to
  // make.
  std::vector<std::shared_ptr<const evp_md_ctx_st>> prepared_;
  std::string secret_;
};

// The same for the same key, whoever wrote it down (RFC 7638), in Base64url. Of one that `read` takes.
std::string key_thumbprint(const nlohmann::json& json);

// The keys of one issuer.
class JsonWebKeySet {
 public:
  // Whether others than the issuer and this program have read it.
  enum class Kind { published, secret };

  // Leaves out what it cannot use (RFC 7517 section 5). Refuses what is no set, and a secret among keys that are
  // published or are not secret.
  static Result<JsonWebKeySet> read(std::string_view text, Kind kind);

  // The one key that a signature with this algorithm can be from: the one with the ID, or, if the signature names none,
  // the only one for the algorithm. Null: there is none, or more than one.
  const JsonWebKey* find(SignatureAlgorithm algorithm, const std::optional<std::string>& id) const;

  // Whether that key, by its thumbprint, is in it.
  bool has(std::string_view thumbprint) const;
  bool has_secrets() const { return !keys_.empty() && keys_.front().is_secret(); }
  // Why some for signatures have been left out, each a sentence.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  std::vector<JsonWebKey> keys_;
  std::vector<std::string> remarks_;
};

}  // namespace mcph
