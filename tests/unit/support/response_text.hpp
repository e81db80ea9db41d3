// A response as its client gets it.
#pragma once

#include <string>

#include "http/response.hpp"

namespace mcph::test {

inline std::string response_text(const HttpClient& client, const HttpResponse& response) {
  std::string text;
  append_head(text, client, response);
  if (!client.head_only) text.append(response.body);
  return text;
}

}  // namespace mcph::test
