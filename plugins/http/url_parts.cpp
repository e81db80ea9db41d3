#include "http/url_parts.hpp"

#include <memory>

#include "shared/text.hpp"

namespace plugins::http {
namespace {

std::string part(const CurlLibrary& curl, CURLU* url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl.url_get(url, which, &text, flags) != CURLUE_OK) return {};
  std::string copied(text);
  curl.free(text);
  return copied;
}

}  // namespace

std::string resolved(const CurlLibrary& curl, const std::string& base, const std::string& location) {
  const std::unique_ptr<CURLU, decltype(curl.url_cleanup)> url(curl.url(), curl.url_cleanup);
  constexpr unsigned flags = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_PATH_AS_IS;
  const bool is_resolved = url && curl.url_set(url.get(), CURLUPART_URL, base.c_str(), flags) == CURLUE_OK &&
                           curl.url_set(url.get(), CURLUPART_URL, location.c_str(), flags) == CURLUE_OK;
  const auto found = is_resolved ? part(curl, url.get(), CURLUPART_URL) : std::string();
  return found.empty() ? location : found;
}

UrlParts parts_of(const CurlLibrary& curl, const std::string& url) {
  const std::unique_ptr<CURLU, decltype(curl.url_cleanup)> parsed(curl.url(), curl.url_cleanup);
  // Other schemes are parsed, too, so that they can be refused by name.
  if (!parsed || curl.url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return {};
  }
  const bool has_user =
      !part(curl, parsed.get(), CURLUPART_USER).empty() || !part(curl, parsed.get(), CURLUPART_PASSWORD).empty();
  return {lower_case(part(curl, parsed.get(), CURLUPART_SCHEME)), lower_case(part(curl, parsed.get(), CURLUPART_HOST)),
          part(curl, parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT), has_user};
}

}  // namespace plugins::http
