#include "http/url_parts.hpp"

#include <curl/curl.h>
#include <memory>

#include "shared/text.hpp"

namespace plugins::http {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part(CURLU* url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, flags) != CURLUE_OK) return {};
  std::string copied(text);
  curl_free(text);
  return copied;
}

}  // namespace

UrlParts parts_of(const std::string& url) {
  const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
  // Other schemes are parsed, too, so that they can be refused by name.
  if (!parsed || curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    return {};
  }
  const bool has_user = !part(parsed.get(), CURLUPART_USER).empty() || !part(parsed.get(), CURLUPART_PASSWORD).empty();
  return {lower_case(part(parsed.get(), CURLUPART_SCHEME)), lower_case(part(parsed.get(), CURLUPART_HOST)),
          part(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT), has_user};
}

}  // namespace plugins::http
