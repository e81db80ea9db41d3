// What libcurl says of a URL. Plain functions.
#pragma once

#include <string>

#include "http/curl_library.hpp"

namespace plugins::http {

struct UrlParts {
  std::string scheme;  // empty: it is no URL
  std::string host;
  std::string port;  // also where the URL does not say it
  bool has_user = false;

  bool is_http() const { return scheme == "http" || scheme == "https"; }
  bool has_same_origin(const UrlParts& other) const {
    return scheme == other.scheme && host == other.host && port == other.port;
  }
};

UrlParts parts_of(const CurlLibrary& curl, const std::string& url);

}  // namespace plugins::http
