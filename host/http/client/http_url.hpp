// The URL of another server, as an operator writes it (RFC 9110 section 4.2). A value and free functions.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace mcph {

struct HttpUrl {
  bool tls = true;
  std::string host = {};       // without brackets
  std::string port = {};       // a number
  std::string authority = {};  // as the Host header says it
  std::string target = {};     // the path and the query
};

// Refuses what is sent in the clear to another machine, unless the operator has said that this is meant, and a
// fragment.
Result<HttpUrl> read_http_url(std::string_view text, bool may_be_clear = false);

// For what people read: without the query, which may hold a key.
std::string_view without_query(std::string_view url);

// Whether both are asked at the same scheme, host and port.
bool is_same_origin(const HttpUrl& left, const HttpUrl& right);

}  // namespace mcph
