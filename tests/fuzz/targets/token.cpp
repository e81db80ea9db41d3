// What a stranger sends to prove who they are. The first byte says what the rest is: a header Authorization and, in a
// line of its own, a field DPoP; or the claims, the header and the claims, or the proof of a token that is signed well.
#include "auth/token.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/access_state.hpp"
#include "auth/issuers.hpp"
#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "expect.hpp"
#include "jose/json_web_key.hpp"
#include "jose/json_web_signature.hpp"
#include "telemetry/stderr_log.hpp"

using namespace mcph;
using mcph::fuzz::expect;

namespace {

using Time = std::chrono::system_clock::time_point;

constexpr std::string_view host_token = "mph_FuzzTarget_NotASecretButATestValueNotASecretButATestVa2s9e2a";
constexpr std::string_view secret = "a secret of this target's, which has 32 bytes or more";
constexpr std::string_view issuer_url = "https://issuer.example";
constexpr std::string_view audience = "https://mcp.example/mcp";
constexpr Time now{std::chrono::seconds(1'785'240'000)};

// Nothing that is asked here is asked over the network.
class NoCaller final : public HttpCaller {
 public:
  void send(HttpCall, std::function<void(Result<HttpAnswer>)>) override { std::abort(); }
};

// Signs with a key that stays the same.
class ProofKey {
 public:
  ProofKey() {
    const std::string seed(32, 's');
    key_.reset(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr,
                                            reinterpret_cast<const unsigned char*>(seed.data()), seed.size()));
    std::string public_key(32, '\0');
    auto size = public_key.size();
    EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(public_key.data()), &size);
    json = {{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", base64url_encode(public_key)}};
  }

  std::string sign(std::string_view text) const {
    std::string signature(64, '\0');
    auto size = signature.size();
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    expect(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
    expect(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                          reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1);
    return signature;
  }

  Json json;

 private:
  std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key_{nullptr, EVP_PKEY_free};
};

std::string with_secret(std::string_view text) {
  std::string digest(32, '\0');
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(digest.data()), &size);
  return digest;
}

class Target {
 public:
  Target() {
    write_keys();
    const IssuerSettings settings{
        .name = "issuer", .issuer = std::string(issuer_url), .audiences = {std::string(audience)}, .jwks_file = keys_};
    auto issuers = Issuers::create({.issuers = {settings}}, caller_, log_);
    expect(issuers.has_value());
    const TokenRecord record{.id = std::string(*token_id(host_token)),
                             .subject = "ada",
                             .roles = {"user"},
                             .digest = token_digest(host_token),
                             .created = now};
    state_ = AccessState::with_credentials(*RolePolicy::compile({{"user", RoleText()}}),
                                           {.tokens = {record},
                                            .issuers = *issuers,
                                            .resource = {.origin = "https://mcp.example", .issuers = {"issuer"}}});
    // Keys are fetched when they are needed.
    const auto first = authenticate("Bearer " + signed_token(R"({"alg":"HS256","typ":"at+jwt"})", claims("ada")), {});
    expect(first.has_error() && first.error().settle != nullptr);
    first.error().settle([] {});
    std::filesystem::remove(keys_);
  }

  void take_header(std::string_view text) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto authorization = text.substr(0, end);
    std::vector<std::string_view> proofs;
    if (end < text.size()) proofs.push_back(text.substr(end + 1));
    const auto who = authenticate(authorization, proofs);
    // Nobody can make a token of an issuer here, or guess one of the host.
    if (who.has_value()) expect(authorization.ends_with(host_token) && who->identity().subject == "ada");
    check_forms(authorization.substr(std::min(authorization.find(' ') + 1, authorization.size())));
  }

  void take_claims(std::string_view header, std::string_view claims) {
    const auto who = authenticate("Bearer " + signed_token(header, claims), {});
    if (who.has_error()) return;
    const auto said = parse_json(claims, default_json_depth, DuplicateKeys::refuse);
    expect(said.has_value() && said->at("iss") == issuer_url && said->at("sub") == who->identity().subject);
    const auto& aud = said->at("aud");
    expect(aud == audience || (aud.is_array() && std::ranges::find(aud, Json(audience)) != aud.end()));
    const auto leeway = std::chrono::seconds(60);
    expect(said->at("exp").get<double>() > seconds(now - leeway));
    expect(!said->contains("nbf") || said->at("nbf").get<double>() <= seconds(now + leeway));
    expect(who->identity().issuer == issuer_url && who->identity().expiry > now);
  }

  // Of a token that is bound to the key of the proof.
  void take_proof(std::string_view text) {
    const auto bound = Json::parse(claims("ada"));
    auto with_key = bound;
    with_key["cnf"] = {{"jkt", key_thumbprint(key_.json)}};
    const auto token = signed_token(R"({"alg":"HS256","typ":"at+jwt"})", with_key.dump());
    const Json header = {{"alg", "EdDSA"}, {"typ", "dpop+jwt"}, {"jwk", key_.json}};
    const auto signed_text = base64url_encode(header.dump()) + "." + base64url_encode(text);
    const auto proof = signed_text + "." + base64url_encode(key_.sign(signed_text));
    const auto who = authenticate("DPoP " + token, {proof});
    if (who.has_error()) return;
    const auto said = parse_json(text, default_json_depth, DuplicateKeys::refuse);
    expect(said.has_value() && said->at("htm") == "POST" && said->at("ath") == base64url_encode(sha256(token)));
    expect(said->at("htu").get<std::string>().starts_with("https://mcp.example/mcp"));
    expect(std::abs(said->at("iat").get<double>() - seconds(now)) <= 300);
    // It has been used.
    expect(authenticate("DPoP " + token, {proof}).has_error());
  }

 private:
  static double seconds(Time time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); }

  static std::string claims(const std::string& subject) {
    return Json({{"iss", issuer_url},
                 {"sub", subject},
                 {"aud", audience},
                 {"exp", 1'785'250'000},
                 {"client_id", "c"},
                 {"iat", 1'785'240'000},
                 {"jti", "1"}})
        .dump();
  }

  static std::string signed_token(std::string_view header, std::string_view claims) {
    const auto text = base64url_encode(header) + "." + base64url_encode(claims);
    return text + "." + base64url_encode(with_secret(text));
  }

  void write_keys() {
    std::string folder = (std::filesystem::temp_directory_path() / "fuzz_token.XXXXXX").string();
    expect(::mkdtemp(folder.data()) != nullptr);
    keys_ = std::filesystem::path(folder) / "keys.json";
    const Json key = {{"kty", "oct"}, {"alg", "HS256"}, {"k", base64url_encode(secret)}};
    std::ofstream(keys_) << Json({{"keys", {key}}}).dump();
    std::filesystem::permissions(keys_, std::filesystem::perms::owner_read);
  }

  Result<Principal, CredentialError> authenticate(std::string_view authorization,
                                                  const std::vector<std::string_view>& proofs) const {
    auto who =
        state_->authenticate({.authorization = authorization, .proofs = proofs, .method = "POST", .path = "/mcp"}, now);
    if (who.has_value()) return who;
    // It becomes a quoted string of a header.
    expect(std::ranges::all_of(who.error().description,
                               [](char c) { return ' ' <= c && c <= '~' && c != '"' && c != '\\'; }));
    return who;
  }

  static void check_forms(std::string_view token) {
    if (const auto id = token_id(token)) expect(is_host_token(token) && token.find(*id) == 4);
    const auto read = JsonWebSignature::read(token);
    if (read.has_error()) return;
    // It has no other form.
    expect(read->signed_text == base64url_encode(read->header.text) + "." + base64url_encode(read->payload));
    expect(token == std::string(read->signed_text) + "." + base64url_encode(read->signature));
  }

  StderrLog log_{Log::Level::off, StderrLog::Format::text};
  NoCaller caller_;
  const ProofKey key_;
  std::filesystem::path keys_;
  std::shared_ptr<const AccessState> state_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Target target;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto end = std::min(text.find('\n'), text.size());
  switch (data[0]) {
    case 'c':
      target.take_claims(R"({"alg":"HS256","typ":"at+jwt"})", text);
      break;
    case 'h':
      target.take_claims(text.substr(0, end), text.substr(std::min(end + 1, text.size())));
      break;
    case 'p':
      target.take_proof(text);
      break;
    default:
      target.take_header(text);
  }
  return 0;
}
