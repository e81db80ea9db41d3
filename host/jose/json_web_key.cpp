#include "jose/json_web_key.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <set>
#include <utility>

#include "base/base64.hpp"
#include "base/c_owner.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"

namespace mcph {
namespace {

using enum SignatureAlgorithm;

constexpr std::array<std::pair<std::string_view, SignatureAlgorithm>, 13> algorithm_names = {{{"HS256", hs256},
                                                                                              {"HS384", hs384},
                                                                                              {"HS512", hs512},
                                                                                              {"RS256", rs256},
                                                                                              {"RS384", rs384},
                                                                                              {"RS512", rs512},
                                                                                              {"PS256", ps256},
                                                                                              {"PS384", ps384},
                                                                                              {"PS512", ps512},
                                                                                              {"ES256", es256},
                                                                                              {"ES384", es384},
                                                                                              {"ES512", es512},
                                                                                              {"EdDSA", eddsa}}};

constexpr std::size_t max_keys = 100;
constexpr int min_rsa_bits = 2048;  // RFC 7518 section 3.3
constexpr int max_rsa_bits = 8192;  // a longer one takes milliseconds for each signature

using BigNumber = COwner<BIGNUM, BN_free>;
using Parameters = COwner<OSSL_PARAM, OSSL_PARAM_free>;
using ParameterBuilder = COwner<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using KeyContext = COwner<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using DigestContext = COwner<EVP_MD_CTX, EVP_MD_CTX_free>;
using EcdsaSignature = COwner<ECDSA_SIG, ECDSA_SIG_free>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

BigNumber to_number(std::string_view bytes) {
  return BigNumber(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

std::string text_member(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Of a member that is Base64url; nothing if there is none.
std::string bytes_member(const Json& json, const char* name) {
  return base64url_decode(text_member(json, name)).value_or(std::string());
}

std::shared_ptr<EVP_PKEY> make_key(const char* type, OSSL_PARAM* parameters) {
  const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* key = nullptr;
  if (context == nullptr || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
    ERR_clear_error();
    return nullptr;
  }
  return {key, EVP_PKEY_free};
}

// A fault of a widespread chip (CVE-2017-15361): a modulus of its keys is, modulo each small prime, a power of 65537.
// By chance that is so for one modulus in 2^27.
bool has_roca_fingerprint(const BIGNUM* modulus) {
  constexpr std::array<unsigned, 38> primes = {3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,
                                               47,  53,  59,  61,  67,  71,  73,  79,  83,  89,  97,  101, 103,
                                               107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167};
  constexpr unsigned generator = 65537;
  return std::ranges::all_of(primes, [modulus](unsigned prime) {
    const auto rest = BN_mod_word(modulus, prime);
    unsigned power = 1;
    do {
      if (power == rest) return true;
      power = power * (generator % prime) % prime;
    } while (power != 1);
    return false;
  });
}

const EVP_MD* digest_of(SignatureAlgorithm algorithm) {
  switch (algorithm) {
    case hs256:
    case rs256:
    case ps256:
    case es256:
      return EVP_sha256();
    case hs384:
    case rs384:
    case ps384:
    case es384:
      return EVP_sha384();
    case hs512:
    case rs512:
    case ps512:
    case es512:
      return EVP_sha512();
    case eddsa:
      return nullptr;  // it has its own
  }
  return nullptr;
}

// Of one of the two numbers of a signature, and of a point's coordinates. In bytes.
std::size_t number_size(SignatureAlgorithm algorithm) {
  switch (algorithm) {
    case es256:
      return 32;
    case es384:
      return 48;
    case es512:
      return 66;
    default:
      return 0;
  }
}

// JSON has both numbers one after the other (RFC 7518 section 3.4), OpenSSL wants them in DER. Empty: it is none.
std::string to_der(SignatureAlgorithm algorithm, std::string_view signature) {
  const auto size = number_size(algorithm);
  if (signature.size() != 2 * size) return {};
  auto r = to_number(signature.substr(0, size));
  auto s = to_number(signature.substr(size));
  const EcdsaSignature both(ECDSA_SIG_new());
  if (r == nullptr || s == nullptr || both == nullptr) return {};
  if (ECDSA_SIG_set0(both.get(), r.get(), s.get()) != 1) return {};
  static_cast<void>(r.release());
  static_cast<void>(s.release());
  const int length = i2d_ECDSA_SIG(both.get(), nullptr);
  if (length <= 0) return {};
  std::string der(static_cast<std::size_t>(length), '\0');
  auto* out = reinterpret_cast<unsigned char*>(der.data());
  return i2d_ECDSA_SIG(both.get(), &out) == length ? der : std::string();
}

bool uses_pss(SignatureAlgorithm algorithm) {
  return algorithm == ps256 || algorithm == ps384 || algorithm == ps512;
}

// What the key is for, besides its algorithm (RFC 7517 sections 4.2, 4.3).
Result<> check_use(const Json& json) {
  if (const auto use = json.find("use"); use != json.end() && *use != "sig") return fail("it is not for signatures");
  const auto operations = json.find("key_ops");
  if (operations == json.end()) return {};
  if (!operations->is_array() || std::ranges::find(*operations, Json("verify")) == operations->end())
    return fail("it is not to verify signatures");
  return {};
}

// By which a signature names a key.
using KeyName = std::array<std::string, 3>;
KeyName name_of(const Json& json) {
  if (!json.is_object()) return {};
  return {text_member(json, "kid"), text_member(json, "kty"), text_member(json, "alg")};
}

// The names that are of more than one key for signatures, whether or not they could be read.
std::set<KeyName> ambiguous_keys(const Json& keys) {
  std::set<KeyName> all;
  std::set<KeyName> ambiguous;
  for (const auto& each : keys) {
    auto name = name_of(each);
    if (name.front().empty() || check_use(each).has_error()) continue;
    if (!all.insert(name).second) ambiguous.insert(std::move(name));
  }
  return ambiguous;
}

std::string words_for(const Json& json) {
  constexpr std::size_t max_shown = 64;
  const auto id = json.is_object() ? text_member(json, "kid").substr(0, max_shown) : std::string();
  return id.empty() ? std::string("A key") : "The key \"" + id + "\"";
}

}  // namespace

std::optional<SignatureAlgorithm> signature_algorithm(std::string_view name) {
  const auto* const found = std::ranges::find(algorithm_names, name, [](const auto& each) { return each.first; });
  return found == algorithm_names.end() ? std::nullopt : std::optional(found->second);
}

Result<JsonWebKey> JsonWebKey::read(const Json& json) {
  if (!json.is_object()) return fail("it is not an object");
  if (const auto checked = check_use(json); checked.has_error()) return checked.error();
  const auto type = text_member(json, "kty");
  const auto read_kind = [&]() -> Result<JsonWebKey> {
    if (type == "oct") return read_secret(json);
    if (json.contains("d")) return fail("it is a private key, which nobody but its owner should have");
    if (type == "RSA") return read_rsa(json);
    if (type == "EC") return read_elliptic_curve(json);
    if (type == "OKP") return read_edwards_curve(json);
    return fail("its type is not RSA, EC, OKP or oct");
  };
  auto key = read_kind();
  if (key.has_error()) return key;
  key->id_ = text_member(json, "kid");
  if (const auto name = json.find("alg"); name != json.end()) {
    const auto algorithm = name->is_string() ? signature_algorithm(name->get_ref<const std::string&>()) : std::nullopt;
    if (!algorithm || !key->is_for(*algorithm)) return fail("its algorithm is not one for its type");
    key->algorithms_ = {*algorithm};
  }
  return key;
}

Result<JsonWebKey> JsonWebKey::read_rsa(const Json& json) {
  const auto modulus = to_number(bytes_member(json, "n"));
  const auto exponent = to_number(bytes_member(json, "e"));
  if (modulus == nullptr || exponent == nullptr) return fail("it has no modulus or exponent");
  const int bits = BN_num_bits(modulus.get());
  if (bits < min_rsa_bits) return fail("it has fewer than 2048 bits");
  if (bits > max_rsa_bits) return fail("it has more than 8192 bits");
  constexpr int max_exponent_bits = 64;
  if (BN_is_odd(exponent.get()) != 1 || BN_is_one(exponent.get()) == 1 ||
      BN_num_bits(exponent.get()) > max_exponent_bits)
    return fail("its exponent is not safe");
  if (has_roca_fingerprint(modulus.get())) return fail("it was made by a chip whose keys can be broken (ROCA)");
  const ParameterBuilder builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()) != 1)
    return fail("there is no memory for it");
  const Parameters parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  JsonWebKey key;
  key.algorithms_ = {rs256, rs384, rs512, ps256, ps384, ps512};
  key.key_ = make_key("RSA", parameters.get());
  if (key.key_ == nullptr) return fail("it is no RSA key");
  return key;
}

Result<JsonWebKey> JsonWebKey::read_elliptic_curve(const Json& json) {
  struct Curve {
    std::string_view name;
    SignatureAlgorithm algorithm;
  };
  static constexpr std::array<Curve, 3> curves = {{{"P-256", es256}, {"P-384", es384}, {"P-521", es512}}};
  const auto name = text_member(json, "crv");
  const auto* const curve = std::ranges::find(curves, name, &Curve::name);
  if (curve == curves.end()) return fail("its curve is not P-256, P-384 or P-521");
  const auto x = bytes_member(json, "x");
  const auto y = bytes_member(json, "y");
  const auto size = number_size(curve->algorithm);
  if (x.size() != size || y.size() != size) return fail("its point is not of its curve");
  const auto point = "\x04" + x + y;  // uncompressed
  const ParameterBuilder builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, name.c_str(), 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1)
    return fail("there is no memory for it");
  const Parameters parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  JsonWebKey key;
  key.algorithms_ = {curve->algorithm};
  key.key_ = make_key("EC", parameters.get());
  if (key.key_ == nullptr) return fail("its point is not on its curve");
  return key;
}

Result<JsonWebKey> JsonWebKey::read_edwards_curve(const Json& json) {
  const auto curve = text_member(json, "crv");
  const int type = curve == "Ed25519" ? EVP_PKEY_ED25519 : curve == "Ed448" ? EVP_PKEY_ED448 : EVP_PKEY_NONE;
  if (type == EVP_PKEY_NONE) return fail("its curve is not Ed25519 or Ed448");
  const auto x = bytes_member(json, "x");
  JsonWebKey key;
  key.algorithms_ = {eddsa};
  key.key_ = {EVP_PKEY_new_raw_public_key(type, nullptr, bytes_of(x), x.size()), EVP_PKEY_free};
  if (key.key_ == nullptr) {
    ERR_clear_error();
    return fail("its point is not of its curve");
  }
  return key;
}

Result<JsonWebKey> JsonWebKey::read_secret(const Json& json) {
  JsonWebKey key;
  key.secret_ = bytes_member(json, "k");
  // As long as the digest, at least (RFC 7518 section 3.2).
  for (const auto algorithm : {hs256, hs384, hs512}) {
    if (key.secret_.size() >= static_cast<std::size_t>(EVP_MD_get_size(digest_of(algorithm))))
      key.algorithms_.push_back(algorithm);
  }
  if (key.algorithms_.empty()) return fail("it is a secret of fewer than 256 bits");
  return key;
}

bool JsonWebKey::is_for(SignatureAlgorithm algorithm) const {
  return std::ranges::find(algorithms_, algorithm) != algorithms_.end();
}

std::shared_ptr<const EVP_MD_CTX> JsonWebKey::make_context(SignatureAlgorithm algorithm) const {
  std::shared_ptr<EVP_MD_CTX> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_PKEY_CTX* settings = nullptr;
  const bool is_made =
      context != nullptr &&
      EVP_DigestVerifyInit(context.get(), &settings, digest_of(algorithm), nullptr, key_.get()) == 1 &&
      // The salt is as long as the digest (RFC 7518 section 3.5).
      (!uses_pss(algorithm) || (EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1 &&
                                EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1));
  if (is_made) return context;
  ERR_clear_error();
  return nullptr;
}

bool JsonWebKey::prepare() {
  if (is_secret()) return true;
  std::erase_if(algorithms_, [&](SignatureAlgorithm algorithm) {
    auto context = make_context(algorithm);
    if (context == nullptr) return true;
    prepared_.push_back(std::move(context));
    return false;
  });
  return !algorithms_.empty();
}

bool JsonWebKey::verify(SignatureAlgorithm algorithm, std::string_view text, std::string_view signature) const {
  const auto found = std::ranges::find(algorithms_, algorithm);
  if (found == algorithms_.end()) return false;
  if (is_secret()) return verify_secret(algorithm, text, signature);
  const auto prepared =
      prepared_.empty() ? make_context(algorithm) : prepared_[static_cast<std::size_t>(found - algorithms_.begin())];
  if (prepared == nullptr) return false;
  const auto der = number_size(algorithm) > 0 ? to_der(algorithm, signature) : std::string(signature);
  const DigestContext context(EVP_MD_CTX_new());
  const bool is_copied = context != nullptr && EVP_MD_CTX_copy_ex(context.get(), prepared.get()) == 1;
  // It is not used again, and so needs no copy of its own to end with.
  if (is_copied) EVP_MD_CTX_set_flags(context.get(), EVP_MD_CTX_FLAG_FINALISE);
  const bool is_right =
      is_copied && EVP_DigestVerify(context.get(), bytes_of(der), der.size(), bytes_of(text), text.size()) == 1;
  // What OpenSSL remembers of a failure would be taken for one of whoever asks next.
  if (!is_right) ERR_clear_error();
  return is_right;
}

bool JsonWebKey::verify_secret(SignatureAlgorithm algorithm, std::string_view text, std::string_view signature) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> expected{};
  unsigned size = 0;
  const auto* const made = HMAC(digest_of(algorithm), secret_.data(), static_cast<int>(secret_.size()), bytes_of(text),
                                text.size(), expected.data(), &size);
  return made != nullptr && signature.size() == size &&
         CRYPTO_memcmp(expected.data(), signature.data(), signature.size()) == 0;
}

std::string key_thumbprint(const Json& json) {
  const auto type = text_member(json, "kty");
  Json required = {{"kty", type}};  // whose members are in the order of their names
  const auto take = [&](std::initializer_list<const char*> names) {
    for (const auto* const name : names)
      required[name] = text_member(json, name);
  };
  if (type == "RSA") take({"n", "e"});
  if (type == "EC") take({"crv", "x", "y"});
  if (type == "OKP") take({"crv", "x"});
  if (type == "oct") take({"k"});
  return base64url_encode(sha256(dump(required)));
}

Result<JsonWebKeySet> JsonWebKeySet::read(std::string_view text, Kind kind) {
  const auto json = parse_json(text, default_json_depth, DuplicateKeys::refuse);
  if (json.has_error()) return json.error();
  const auto keys = json->is_object() ? json->find("keys") : json->end();
  if (!json->is_object() || keys == json->end() || !keys->is_array())
    return fail("it is no JSON Web Key Set: an object with an array \"keys\" was expected");
  if (keys->size() > max_keys) return fail("it has more than 100 keys");
  JsonWebKeySet set;
  const auto same = ambiguous_keys(*keys);
  for (const auto& each : *keys) {
    // Many issuers have keys for encryption in the same set.
    if (each.is_object() && check_use(each).has_error()) continue;
    auto key =
        same.contains(name_of(each)) ? Result<JsonWebKey>(fail("another one has the same ID")) : JsonWebKey::read(each);
    if (key.has_value() && !key->prepare()) key = fail("nothing can be verified with it here");
    if (key.has_error()) {
      set.remarks_.push_back(words_for(each) + " is not used: " + key.error().message + ".");
    } else {
      key->thumbprint_ = key_thumbprint(each);
      set.keys_.push_back(*std::move(key));
    }
  }
  const auto secrets = std::ranges::count_if(set.keys_, &JsonWebKey::is_secret);
  if (secrets > 0 && kind == Kind::published) return fail("it has a secret key, which must not be published");
  if (secrets > 0 && static_cast<std::size_t>(secrets) < set.keys_.size())
    return fail("it has secret and public keys; put them in sets of their own");
  return set;
}

bool JsonWebKeySet::has(std::string_view thumbprint) const {
  return std::ranges::find(keys_, thumbprint, &JsonWebKey::thumbprint) != keys_.end();
}

const JsonWebKey* JsonWebKeySet::find(SignatureAlgorithm algorithm, const std::optional<std::string>& id) const {
  const JsonWebKey* found = nullptr;
  for (const auto& key : keys_) {
    if (!key.is_for(algorithm) || (id && key.id() != *id)) continue;
    if (found != nullptr) return nullptr;
    found = &key;
  }
  return found;
}

}  // namespace mcph
