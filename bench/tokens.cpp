// What it takes to find out that a token is good which has not been seen before, beside OpenSSL's part of it: the
// verification of its signature, as `openssl speed` measures it. One thread. Ends with a failure where less than 0.8 of
// OpenSSL's verifications a second are reached.
//
// usage: bench_tokens [ALGORITHM...]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "auth/issuers.hpp"
#include "base/base64.hpp"
#include "base/json.hpp"

namespace {

using namespace mcph;

constexpr std::size_t tokens = 3000;
constexpr int repetitions = 9;
constexpr double goal = 0.8;
constexpr std::string_view issuer_url = "https://issuer.example.com";
constexpr std::string_view audience = "https://mcp.example.com/mcp";

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

void require(bool good, const char* what) {
  if (good) return;
  std::cerr << what << " failed\n";
  std::exit(2);
}

std::string number(const Key& key, const char* name, int size) {
  BIGNUM* number = nullptr;
  require(EVP_PKEY_get_bn_param(key.get(), name, &number) == 1, name);
  std::string bytes(static_cast<std::size_t>(size == 0 ? BN_num_bytes(number) : size), '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  BN_free(number);
  return base64url_encode(bytes);
}

struct Algorithm {
  std::string name;
  Key key;
  Json public_key;
};

Algorithm rs256() {
  Key key(EVP_RSA_gen(2048), EVP_PKEY_free);
  const Json json = {
      {"kty", "RSA"}, {"n", number(key, OSSL_PKEY_PARAM_RSA_N, 0)}, {"e", number(key, OSSL_PKEY_PARAM_RSA_E, 0)}};
  return {"RS256", std::move(key), json};
}

Algorithm es256() {
  Key key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const Json json = {{"kty", "EC"},
                     {"crv", "P-256"},
                     {"x", number(key, OSSL_PKEY_PARAM_EC_PUB_X, 32)},
                     {"y", number(key, OSSL_PKEY_PARAM_EC_PUB_Y, 32)}};
  return {"ES256", std::move(key), json};
}

Algorithm eddsa() {
  Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free);
  std::string bytes(32, '\0');
  auto size = bytes.size();
  EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size);
  return {"EdDSA", std::move(key), {{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", base64url_encode(bytes)}}};
}

// As OpenSSL writes it.
std::string sign(const Algorithm& by, std::string_view text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const auto* const digest = by.name == "EdDSA" ? nullptr : EVP_sha256();
  std::string signature(512, '\0');
  auto size = signature.size();
  require(EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, by.key.get()) == 1 &&
              EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                             reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1,
          "signing");
  signature.resize(size);
  return signature;
}

std::string two_numbers(const std::string& der) {
  const auto* in = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> signature(
      d2i_ECDSA_SIG(nullptr, &in, static_cast<long>(der.size())), ECDSA_SIG_free);
  std::string bytes(64, '\0');
  auto* out = reinterpret_cast<unsigned char*>(bytes.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), out, 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), out + 32, 32);
  return bytes;
}

std::string make_token(const Algorithm& by, std::size_t turn) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const Json header = {{"alg", by.name}, {"typ", "at+jwt"}, {"kid", by.name}};
  const Json claims = {
      {"iss", issuer_url},   {"sub", "ada"},
      {"aud", audience},     {"iat", now},
      {"exp", now + 36'000}, {"jti", "2f1c8f6e-6c1d-4b8e-9d55-" + std::to_string(100'000'000'000 + turn)},
      {"groups", {"users"}}};
  const auto text = base64url_encode(header.dump()) + "." + base64url_encode(claims.dump());
  const auto signature = sign(by, text);
  return text + "." + base64url_encode(by.name == "ES256" ? two_numbers(signature) : signature);
}

class NobodyAsked final : public HttpCaller {
 public:
  void send(HttpCall /*call*/, std::function<void(Result<HttpAnswer>)> /*done*/) override {
    require(false, "a call that is not needed");
  }
};

class NoLog final : public Log {
 public:
  bool writes(Level /*level*/) const override { return false; }
  void write(Level /*level*/, std::string_view /*event*/, Fields /*fields*/) override {}
};

double processor_us() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

// For each of a number of times, in us of processor time.
template <class Work>
double measure(std::size_t count, Work work) {
  const auto begin = processor_us();
  for (std::size_t i = 0; i < count; ++i)
    work(i);
  return (processor_us() - begin) / static_cast<double>(count);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Of a signature alone, as `openssl speed` does it.
double verification_us(const Algorithm& by) {
  const std::string digest(32, 'd');
  if (by.name == "EdDSA") {
    const auto signature = sign(by, digest);
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    require(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, by.key.get()) == 1, "preparing");
    return measure(tokens, [&](std::size_t) {
      require(
          EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                           reinterpret_cast<const unsigned char*>(digest.data()), digest.size()) == 1,
          "verifying");
    });
  }
  using Context = std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)>;
  const Context signer(EVP_PKEY_CTX_new(by.key.get(), nullptr), EVP_PKEY_CTX_free);
  const Context verifier(EVP_PKEY_CTX_new(by.key.get(), nullptr), EVP_PKEY_CTX_free);
  std::string signature(512, '\0');
  auto size = signature.size();
  const auto* const text = reinterpret_cast<const unsigned char*>(digest.data());
  auto* const bytes = reinterpret_cast<unsigned char*>(signature.data());
  require(EVP_PKEY_sign_init(signer.get()) == 1 &&
              EVP_PKEY_sign(signer.get(), bytes, &size, text, digest.size()) == 1 &&
              EVP_PKEY_verify_init(verifier.get()) == 1,
          "preparing");
  return measure(tokens, [&](std::size_t) {
    require(EVP_PKEY_verify(verifier.get(), bytes, size, text, digest.size()) == 1, "verifying");
  });
}

// Whether the goal is met.
bool compare(Algorithm by, const std::filesystem::path& folder) {
  by.public_key.update({{"kid", by.name}, {"alg", by.name}, {"use", "sig"}});
  const auto file = folder / (by.name + ".jwks");
  std::ofstream(file) << Json({{"keys", {by.public_key}}});
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  IssuerSettings settings{.name = "issuer", .issuer = std::string(issuer_url)};
  settings.audiences = {std::string(audience)};
  settings.jwks_file = file;
  std::vector<std::string> all;
  for (std::size_t i = 0; i < tokens; ++i)
    all.push_back(make_token(by, i));
  NobodyAsked caller;
  NoLog log;
  std::vector<double> ratios;
  std::vector<double> times;
  for (int i = 0; i < repetitions; ++i) {
    const auto alone = verification_us(by);
    // Which knows no token yet.
    const auto issuers = *Issuers::create({.issuers = {settings}}, caller, log);
    const auto first = issuers->authenticate(all.front(), std::chrono::system_clock::now());
    if (first.has_error() && first.error().settle) first.error().settle([] {});
    const auto now = std::chrono::system_clock::now();
    times.push_back(measure(
        tokens, [&](std::size_t at) { require(issuers->authenticate(all[at], now).has_value(), "authenticating"); }));
    ratios.push_back(alone / times.back());
  }
  const auto ratio = median(ratios);
  std::cout << by.name << ": " << median(times) << " us for a new token of " << all.front().size() << " bytes, "
            << ratio << " of OpenSSL's verifications a second\n";
  return ratio >= goal;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  const auto folder = std::filesystem::temp_directory_path() / ("bench_tokens." + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  bool good = true;
  std::size_t compared = 0;
  for (auto* const make : {rs256, es256, eddsa}) {
    auto algorithm = make();
    if (!wanted.empty() && std::ranges::find(wanted, algorithm.name) == wanted.end()) continue;
    good = compare(std::move(algorithm), folder) && good;
    ++compared;
  }
  std::filesystem::remove_all(folder);
  require(compared == (wanted.empty() ? 3 : wanted.size()), "finding each ALGORITHM among RS256, ES256 and EdDSA");
  std::cout << (good ? "the goal is met: 0.8\n" : "the goal is missed: 0.8\n");
  return good ? 0 : 1;
}
