// A JSON Web Signature in its compact form (RFC 7515 section 7.1), which is the only one that a token has (RFC 7519
// section 1). What its header says of keys is not looked at, but for the ID of one of those that are known already
// (RFC 8725 sections 3.1, 3.10). A view of its text; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "jose/json_web_key.hpp"

namespace mcph {

struct JsonWebSignature {
  struct Header {
    SignatureAlgorithm algorithm = SignatureAlgorithm::rs256;
    std::optional<std::string> key_id = {};
    std::optional<std::string> type = {};  // as it is written
    std::string text = {};                 // a JSON object
  };

  // Nothing has been verified. Refuses what has more than one form: padding, white space, keys that come twice.
  static Result<JsonWebSignature> read(std::string_view text);

  // Whether the signature is the key's.
  bool is_by(const JsonWebKey& key) const { return key.verify(header.algorithm, signed_text, signature); }

  Header header = {};
  std::string payload = {};
  std::string_view signed_text = {};  // of what was read, which must still be there
  std::string signature = {};
};

}  // namespace mcph
