#include "auth/proof.hpp"

#include <memory>
#include <openssl/evp.h>
#include <optional>

#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/sha256.hpp"
#include "jose/json_web_key.hpp"

namespace mcph {
namespace {

using namespace std::chrono_literals;

constexpr auto proved_url = "https://us.example/mcp";
constexpr auto proved_token = "a-token";

// A client with a key of its own.
class KeyHolder {
 public:
  KeyHolder() {
    std::string bytes(32, '\0');
    auto size = bytes.size();
    EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size);
    jwk_ = {{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", base64url_encode(bytes)}};
  }

  std::string thumbprint() const { return key_thumbprint(jwk_); }
  void write_url(std::string_view as) { url_ = as; }

  std::string prove(Proofs::Time now, const std::optional<std::string>& nonce = {}) {
    Json claims = {{"jti", std::to_string(++count_)},
                   {"htm", "POST"},
                   {"htu", url_},
                   {"iat", std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count()},
                   {"ath", base64url_encode(sha256(proved_token))}};
    if (nonce) claims["nonce"] = *nonce;
    const Json header = {{"typ", "dpop+jwt"}, {"alg", "EdDSA"}, {"jwk", jwk_}};
    const auto text = base64url_encode(header.dump()) + "." + base64url_encode(claims.dump());
    return text + "." + base64url_encode(sign(text));
  }

 private:
  std::string sign(const std::string& text) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    std::string signature(64, '\0');
    auto size = signature.size();
    EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get());
    EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                   reinterpret_cast<const unsigned char*>(text.data()), text.size());
    return signature;
  }

  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_{EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"),
                                                                 EVP_PKEY_free};
  Json jwk_;
  std::string url_ = proved_url;
  int count_ = 0;
};

class ProofsTest : public ::testing::Test {
 protected:
  // "good", or the code of why not.
  std::string outcome(const std::string& proof, Proofs::Time now, bool needs_nonce = false) {
    const auto key = client_.thumbprint();
    const auto checked = proofs_.check(proof, {"POST", proved_url, proved_token, key, needs_nonce}, now);
    return checked ? "good" : std::string(checked.error().code);
  }

  const Proofs::Time now_{300'000s};  // at which a lifetime of nonces begins
  KeyHolder client_;
  Proofs proofs_{"a key"};
};

TEST_F(ProofsTest, CountOnceAndInTheirTime) {
  const auto proof = client_.prove(now_);
  EXPECT_EQ(outcome(proof, now_), "good");
  EXPECT_EQ(outcome(proof, now_), "invalid_dpop_proof");
  EXPECT_EQ(outcome(client_.prove(now_), now_ + Proofs::window), "good");
  EXPECT_EQ(outcome(client_.prove(now_), now_ + Proofs::window + 1s), "invalid_dpop_proof");
}

TEST_F(ProofsTest, AreForTheUrlHoweverItsOriginIsWritten) {
  for (const auto* const same :
       {"HTTPS://US.example/mcp", "https://us.example:443/mcp", "https://us.example/mcp?a#b"}) {
    client_.write_url(same);
    EXPECT_EQ(outcome(client_.prove(now_), now_), "good") << same;
  }
  for (const auto* const other : {"https://us.example/MCP", "https://us.example:80/mcp", "http://us.example:443/mcp"}) {
    client_.write_url(other);
    EXPECT_EQ(outcome(client_.prove(now_), now_), "invalid_dpop_proof") << other;
  }
}

TEST_F(ProofsTest, HaveANonceOfThisTimeOrOfTheOneBefore) {
  const auto nonce = proofs_.nonce(now_);
  const auto with_nonce = [&](Proofs::Time now) { return outcome(client_.prove(now, nonce), now, true); };
  EXPECT_EQ(with_nonce(now_), "good");
  EXPECT_EQ(with_nonce(now_ + 2 * Proofs::nonce_lifetime - 1s), "good");
  EXPECT_EQ(with_nonce(now_ + 2 * Proofs::nonce_lifetime), "use_dpop_nonce");
  EXPECT_EQ(with_nonce(now_ - 1s), "use_dpop_nonce");
}

TEST_F(ProofsTest, AreNotUsedUpByTheQuestionForANonce) {
  const auto proof = client_.prove(now_);
  EXPECT_EQ(outcome(proof, now_, true), "use_dpop_nonce");
  EXPECT_EQ(outcome(proof, now_), "good");
}

TEST_F(ProofsTest, ShareNoncesWithOthersThatHaveTheirKey) {
  EXPECT_EQ(Proofs("a key").nonce(now_), proofs_.nonce(now_));
  EXPECT_NE(Proofs("another key").nonce(now_), proofs_.nonce(now_));
  EXPECT_NE(Proofs().nonce(now_), Proofs().nonce(now_));
}

}  // namespace
}  // namespace mcph
