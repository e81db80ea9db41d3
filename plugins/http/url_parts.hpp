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

// Where a redirect leads to that a server answers at `base`. What is no URL stays as it is.
std::string resolved(const CurlLibrary& curl, const std::string& base, const std::string& location);

UrlParts parts_of(const CurlLibrary& curl, const std::string& url);

}  // namespace plugins::http
