#include "jose/json_web_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "support/signed_token.hpp"

namespace mcph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string secret(32, 's');
// RFC 8037 appendix A.2.
const Json edwards = {
    {"kty", "OKP"}, {"crv", "Ed25519"}, {"kid", "e"}, {"x", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}};
// RFC 7515 appendix A.3.
const Json curve = {{"kty", "EC"},
                    {"crv", "P-256"},
                    {"kid", "c"},
                    {"x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"},
                    {"y", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}};

std::string refusal(Json key, const Json& changes) {
  key.update(changes);
  const auto read = JsonWebKey::read(key);
  return read.has_error() ? read.error().message : "none";
}

TEST(JsonWebKeyTest, IsForItsAlgorithmsOnly) {
  const auto key = JsonWebKey::read(curve);
  ASSERT_TRUE(key);
  EXPECT_TRUE(key->is_for(SignatureAlgorithm::es256));
  EXPECT_FALSE(key->is_for(SignatureAlgorithm::es384));
  EXPECT_FALSE(key->is_for(SignatureAlgorithm::hs256));
  EXPECT_TRUE(JsonWebKey::read(edwards)->is_for(SignatureAlgorithm::eddsa));
}

// RFC 8037 appendix A.4.
TEST(JsonWebKeyTest, VerifiesAnEdwardsSignature) {
  const auto signature =
      base64url_decode("hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
  const std::string text = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
  const auto key = JsonWebKey::read(edwards);
  EXPECT_TRUE(key->verify(SignatureAlgorithm::eddsa, text, *signature));
  EXPECT_FALSE(key->verify(SignatureAlgorithm::eddsa, text + ".", *signature));
  EXPECT_FALSE(key->verify(SignatureAlgorithm::eddsa, text, signature->substr(1)));
}

TEST(JsonWebKeyTest, SaysWhatIsWrong) {
  EXPECT_EQ(refusal(curve, {{"use", "enc"}}), "it is not for signatures");
  EXPECT_EQ(refusal(curve, {{"key_ops", {"sign"}}}), "it is not to verify signatures");
  EXPECT_EQ(refusal(curve, {{"d", "AQ"}}), "it is a private key, which nobody but its owner should have");
  EXPECT_EQ(refusal(curve, {{"kty", "ec"}}), "its type is not RSA, EC, OKP or oct");
  EXPECT_EQ(refusal(curve, {{"crv", "secp256k1"}}), "its curve is not P-256, P-384 or P-521");
  EXPECT_EQ(refusal(curve, {{"x", curve["y"]}}), "its point is not on its curve");
  EXPECT_EQ(refusal(curve, {{"alg", "RS256"}}), "its algorithm is not one for its type");
  EXPECT_EQ(refusal(edwards, {{"crv", "X25519"}}), "its curve is not Ed25519 or Ed448");
  EXPECT_EQ(refusal(edwards, {{"x", "AQ"}}), "its point is not of its curve");
  EXPECT_EQ(refusal(test::secret_key("s", secret), {{"k", "AQ"}}), "it is a secret of fewer than 256 bits");
  EXPECT_EQ(refusal({{"kty", "RSA"}}, {{"n", "AQAB"}, {"e", "AQAB"}}), "it has fewer than 2048 bits");
}

TEST(JsonWebKeySetTest, LeavesOutWhatItCannotUse) {
  const Json set = {
      {"keys", {curve, {{"kty", "AKP"}, {"kid", "later"}}, {{"kty", "EC"}, {"use", "enc"}, {"kid", "c"}}, edwards}}};
  const auto keys = JsonWebKeySet::read(set.dump(), JsonWebKeySet::Kind::published);
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_THAT(keys->remarks(), ElementsAre(HasSubstr("The key \"later\" is not used")));
  EXPECT_NE(keys->find(SignatureAlgorithm::es256, "c"), nullptr);
  EXPECT_NE(keys->find(SignatureAlgorithm::eddsa, "e"), nullptr);
  EXPECT_EQ(keys->find(SignatureAlgorithm::eddsa, "c"), nullptr);
}

TEST(JsonWebKeySetTest, FindsTheOnlyOneForASignatureThatNamesNone) {
  auto other = curve;
  other["kid"] = "d";
  const auto one = JsonWebKeySet::read(test::key_set(curve), JsonWebKeySet::Kind::published);
  EXPECT_NE(one->find(SignatureAlgorithm::es256, std::nullopt), nullptr);
  const auto two = JsonWebKeySet::read(Json({{"keys", {curve, other}}}).dump(), JsonWebKeySet::Kind::published);
  EXPECT_EQ(two->find(SignatureAlgorithm::es256, std::nullopt), nullptr);
  EXPECT_NE(two->find(SignatureAlgorithm::es256, "d"), nullptr);
}

TEST(JsonWebKeySetTest, HasNoSecretThatIsPublished) {
  const auto own = test::key_set(test::secret_key("s", secret));
  EXPECT_TRUE(JsonWebKeySet::read(own, JsonWebKeySet::Kind::secret));
  EXPECT_TRUE(JsonWebKeySet::read(own, JsonWebKeySet::Kind::published).has_error());
  const auto mixed = Json({{"keys", {curve, test::secret_key("s", secret)}}}).dump();
  EXPECT_TRUE(JsonWebKeySet::read(mixed, JsonWebKeySet::Kind::secret).has_error());
  for (const auto* const text : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[],"keys":[]})"})
    EXPECT_TRUE(JsonWebKeySet::read(text, JsonWebKeySet::Kind::published).has_error()) << text;
}

}  // namespace
}  // namespace mcph
