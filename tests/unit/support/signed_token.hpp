// Tokens that are signed with a secret, because that takes a line; whoever verifies them does not care by what.
#pragma once

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string>
#include <string_view>

#include "base/base64.hpp"
#include "base/json.hpp"

namespace mcph::test {

inline Json secret_key(const std::string& id, std::string_view secret) {
  return {{"kty", "oct"}, {"alg", "HS256"}, {"kid", id}, {"k", base64url_encode(secret)}};
}

inline std::string key_set(const Json& key) {
  return Json({{"keys", {key}}}).dump();
}

inline std::string signed_token(const Json& claims, const std::string& key_id, std::string_view secret) {
  const Json header = {{"alg", "HS256"}, {"kid", key_id}, {"typ", "at+jwt"}};
  const auto text = base64url_encode(header.dump()) + "." + base64url_encode(claims.dump());
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return text + "." + base64url_encode({reinterpret_cast<const char*>(digest), size});
}

}  // namespace mcph::test
