// The keys of an issuer as its file or its server has them, a line break, and bytes that pretend to be a signature.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "expect.hpp"
#include "jose/json_web_key.hpp"

using namespace mcph;
using mcph::fuzz::expect;

namespace {

constexpr std::array algorithms = {SignatureAlgorithm::hs256, SignatureAlgorithm::hs384, SignatureAlgorithm::hs512,
                                   SignatureAlgorithm::rs256, SignatureAlgorithm::rs384, SignatureAlgorithm::rs512,
                                   SignatureAlgorithm::ps256, SignatureAlgorithm::ps384, SignatureAlgorithm::ps512,
                                   SignatureAlgorithm::es256, SignatureAlgorithm::es384, SignatureAlgorithm::es512,
                                   SignatureAlgorithm::eddsa};

bool is_hmac(SignatureAlgorithm algorithm) {
  return algorithm <= SignatureAlgorithm::hs512;
}

void use(const JsonWebKey& key, std::string_view signature) {
  for (const auto algorithm : algorithms) {
    if (key.is_for(algorithm)) expect(key.is_secret() == is_hmac(algorithm));
    const bool verified = key.verify(algorithm, "the text", signature);
    if (!key.is_for(algorithm)) expect(!verified);
  }
}

void use_one(const Json& json, std::string_view signature) {
  const auto key = JsonWebKey::read(json);
  if (key.has_error()) return expect(!key.error().message.empty());
  expect(json.is_object() && (key->is_secret() || !json.contains("d")));
  use(*key, signature);
  auto named = json;
  named["kid"] = "another";
  if (!key->is_secret()) expect(key_thumbprint(json) == key_thumbprint(named) && key_thumbprint(json).size() == 43);
}

void use_set(std::string_view text, JsonWebKeySet::Kind kind, std::string_view signature) {
  const auto set = JsonWebKeySet::read(text, kind);
  if (set.has_error()) return expect(!set.error().message.empty());
  if (kind == JsonWebKeySet::Kind::published) expect(!set->has_secrets());
  for (const auto algorithm : algorithms) {
    const auto* const only = set->find(algorithm, std::nullopt);
    const auto* const named = set->find(algorithm, "a");
    if (only != nullptr) expect(only->is_for(algorithm) && only->is_secret() == set->has_secrets());
    if (named != nullptr) expect(named->is_for(algorithm) && named->id() == "a");
    if (only != nullptr) use(*only, signature);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(input.rfind('\n'), size);
  const auto text = input.substr(0, end);
  const auto signature = input.substr(std::min(end + 1, size));
  use_set(text, JsonWebKeySet::Kind::published, signature);
  use_set(text, JsonWebKeySet::Kind::secret, signature);
  const auto json = parse_json(text);
  if (json.has_error() || !json->is_object()) return 0;
  const auto keys = json->find("keys");
  if (keys == json->end() || !keys->is_array()) return 0;
  for (const auto& key : *keys)
    use_one(key, signature);
  return 0;
}
