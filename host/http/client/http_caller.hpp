// Asks other servers over HTTP, such as an issuer for its keys: one request, one answer, one connection. No redirect is
// followed, because who answers would be somebody else's choice.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "http/client/http_url.hpp"

namespace mcph {

struct HttpCall {
  HttpUrl url;
  std::vector<std::pair<std::string, std::string>> fields = {};
  // Sent by POST; empty: there is none, and the method is GET.
  std::string body = {};
  std::size_t max_answer = std::size_t{1} << 20;  // in bytes
  std::chrono::milliseconds patience{5000};       // for all of it
};

struct HttpAnswer {
  unsigned status = 0;
  std::string body = {};
};

class HttpCaller {
 public:
  virtual ~HttpCaller() = default;

  // Calls `done` once, on a thread that serves clients and never within this call, unless those threads end before. Any
  // thread.
  virtual void send(HttpCall call, std::function<void(Result<HttpAnswer>)> done) = 0;
};

}  // namespace mcph
