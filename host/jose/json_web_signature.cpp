#include "jose/json_web_signature.hpp"

#include <cstddef>
#include <utility>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"

namespace mcph {
namespace {

constexpr std::size_t header_depth = 8;

// A member that must be a string if it is there.
Result<> take_text(const Json& header, const char* name, std::optional<std::string>& text) {
  const auto found = header.find(name);
  if (found == header.end()) return {};
  if (!found->is_string()) return fail(std::string("\"") + name + "\" in its header is no string");
  text = found->get<std::string>();
  return {};
}

Result<JsonWebSignature::Header> read_header(std::string_view encoded) {
  const auto text = base64url_decode(encoded);
  const auto json = text ? parse_json(*text, header_depth, DuplicateKeys::refuse) : Result<Json>(fail("no Base64"));
  if (json.has_error() || !json->is_object()) return fail("its header is no JSON object");
  JsonWebSignature::Header header;
  std::optional<std::string> name;
  for (const auto& taken :
       {take_text(*json, "alg", name), take_text(*json, "kid", header.key_id), take_text(*json, "typ", header.type)}) {
    if (taken.has_error()) return taken.error();
  }
  const auto algorithm = name ? signature_algorithm(*name) : std::nullopt;
  if (!algorithm) return fail("its algorithm is none that is known");
  header.algorithm = *algorithm;
  header.text = *text;
  // What must be understood (RFC 7515 section 4.1.11), of which nothing is. "b64" would be (RFC 7797 section 6).
  if (json->contains("crit") || json->contains("b64")) return fail("its header asks for an extension");
  return header;
}

}  // namespace

Result<JsonWebSignature> JsonWebSignature::read(std::string_view text) {
  const auto first = text.find('.');
  const auto second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos || text.find('.', second + 1) != std::string_view::npos)
    return fail("it has not three parts");
  // Those that an issuer signs with one key mostly have the same.
  struct Remembered {
    std::string encoded;
    Header header;
  };
  static thread_local Remembered last;
  const auto encoded = text.substr(0, first);
  if (encoded.empty() || encoded != last.encoded) {
    auto header = read_header(encoded);
    if (header.has_error()) return header.error();
    last = {std::string(encoded), *std::move(header)};
  }
  auto payload = base64url_decode(text.substr(first + 1, second - first - 1));
  auto signature = base64url_decode(text.substr(second + 1));
  if (!payload || !signature || signature->empty()) return fail("its parts are no Base64url");
  return JsonWebSignature{
      .header = last.header,
      .payload = *std::move(payload),
      .signed_text = text.substr(0, second),
      .signature = *std::move(signature),
  };
}

}  // namespace mcph
