#include "auth/proof.hpp"

#include <algorithm>
#include <array>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <utility>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/random_bytes.hpp"
#include "base/sha256.hpp"
#include "base/uri.hpp"
#include "jose/json_web_key.hpp"
#include "jose/json_web_signature.hpp"

namespace mcph {
namespace {

constexpr std::size_t max_proof_bytes = std::size_t{8} << 10;
constexpr std::size_t max_name_bytes = 256;

std::string text_of(const Json& claims, const char* name) {
  const auto found = claims.find(name);
  return found != claims.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The key that the proof brings with it, which alone says nothing: the token must be bound to it.
Result<JsonWebKey> embedded_key(const JsonWebSignature& proof, std::string_view thumbprint) {
  const auto header = parse_json(proof.header.text);
  const auto key = header.has_value() ? header->find("jwk") : Json::const_iterator();
  if (header.has_error() || key == header->end()) return fail("it has no key");
  auto read = JsonWebKey::read(*key);
  if (read.has_error() || read->is_secret()) return fail("its key is none for it");
  if (key_thumbprint(*key) != thumbprint) return fail("it is by another key than that of the token");
  return read;
}

bool is_in_window(const Json& claims, Proofs::Time now) {
  const auto found = claims.find("iat");
  if (found == claims.end() || !found->is_number()) return false;
  const auto seconds = found->get<double>();
  const auto difference = seconds - std::chrono::duration<double>(now.time_since_epoch()).count();
  return std::abs(difference) <= static_cast<double>(Proofs::window.count());
}

// Without what a client may have added to it.
std::string without_query_and_fragment(const std::string& url) {
  return url.substr(0, url.find_first_of("?#"));
}

// The claims of a proof of the request that has been made now (RFC 9449 section 4.3).
Result<Json> read_proof(std::string_view proof, const ProvenRequest& request, Proofs::Time now) {
  if (proof.size() > max_proof_bytes) return fail("it is too long");
  const auto read = JsonWebSignature::read(proof);
  if (read.has_error()) return fail("it is no signed proof");
  if (read->header.type != "dpop+jwt") return fail("it does not say that it is one");
  const auto key = embedded_key(*read, request.key);
  if (key.has_error()) return key.error();
  if (!read->is_by(*key)) return fail("its signature is not its key's");
  auto claims = parse_json(read->payload, default_json_depth, DuplicateKeys::refuse);
  if (claims.has_error() || !claims->is_object()) return fail("it has no claims");
  const auto name = text_of(*claims, "jti");
  if (name.empty() || name.size() > max_name_bytes) return fail("it has no jti");
  if (text_of(*claims, "htm") != request.method) return fail("it is for another method");
  const auto url = with_canonical_origin(without_query_and_fragment(text_of(*claims, "htu")));
  if (url != request.url) return fail("it is for another URL");
  if (!is_in_window(*claims, now)) return fail("it is not of now");
  if (text_of(*claims, "ath") != base64url_encode(sha256(request.token))) return fail("it is for another token");
  return claims;
}

}  // namespace

std::vector<std::string> proof_algorithms() {
  return {"ES256", "ES384", "ES512", "EdDSA", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"};
}

Proofs::Proofs(std::size_t capacity) : Proofs(random_bytes(32), capacity) {}

Proofs::Proofs(std::string nonce_key, std::size_t capacity) : capacity_(capacity), nonce_key_(std::move(nonce_key)) {}

Result<void, CredentialError> Proofs::check(std::string_view proof, const ProvenRequest& request, Time now) {
  const auto claims = read_proof(proof, request, now);
  if (claims.has_error()) return invalid_proof(claims.error().message);
  if (request.needs_nonce && !is_nonce(text_of(*claims, "nonce"), now)) {
    auto error = invalid_proof("it has no nonce of this server that is good now");
    error.kind = CredentialError::Kind::needs_nonce;
    error.code = "use_dpop_nonce";
    return error;
  }
  if (!remember(std::string(request.key) + text_of(*claims, "jti"), now))
    return invalid_proof("it has been used already");
  return {};
}

std::string Proofs::nonce_of(std::int64_t period) const {
  const auto text = std::to_string(period);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), nonce_key_.data(), static_cast<int>(nonce_key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return base64url_encode({reinterpret_cast<const char*>(digest.data()), size});
}

bool Proofs::is_nonce(std::string_view text, Time now) const {
  return text == nonce(now) || text == nonce(now - nonce_lifetime);
}

bool Proofs::remember(const std::string& name, Time now) {
  // A part of the digest will do: two that have it in common are as likely as that somebody guesses a key of 64 bits.
  std::uint64_t number = 0;
  const auto digest = sha256(name);
  for (std::size_t i = 0; i < sizeof number; ++i)
    number = number << 8U | static_cast<unsigned char>(digest[i]);
  std::unordered_set<std::uint64_t> forgotten;  // ends without the lock
  const MutexLock lock(mutex_);
  // What is remembered stays so for at least as long as its proof could be used, but where there are too many.
  if (now - began_ >= 2 * window || recent_.size() >= capacity_) {
    forgotten = std::exchange(older_, std::exchange(recent_, {}));
    began_ = now;
  }
  return !older_.contains(number) && recent_.insert(number).second;
}

}  // namespace mcph
