#include "http/client/oauth.hpp"

#include "base/ascii.hpp"

namespace mcph {

std::string form_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      encoded += c;
    } else {
      encoded += '%';
      encoded += digits[byte >> 4U];
      encoded += digits[byte & 0xfU];
    }
  }
  return encoded;
}

std::vector<std::string> issuer_metadata_urls(const std::string& issuer) {
  const auto path = issuer.find('/', issuer.find("://") + 3);
  const auto origin = issuer.substr(0, path);
  auto rest = path == std::string::npos ? std::string() : issuer.substr(path);
  while (rest.ends_with('/'))
    rest.pop_back();
  std::vector<std::string> urls;
  for (const auto* const name : {"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"})
    urls.push_back(origin + name + rest);
  if (!rest.empty()) urls.push_back(origin + rest + "/.well-known/openid-configuration");
  return urls;
}

}  // namespace mcph
