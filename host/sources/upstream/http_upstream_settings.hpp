// How an upstream is reached over HTTP, with its secrets as they are now: read anew for each connection. A value.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/client/http_url.hpp"

namespace mcph {

// OAuth 2.1 client credentials of the operator towards the upstream (RFC 6749 section 4.4).
struct ClientCredentials {
  std::string token_url = {};  // empty: the issuer's metadata say it
  // Empty where there is a token_url. That the upstream has it, its protected resource metadata must say (RFC 9728).
  std::string issuer = {};
  std::string id = {};
  std::string secret = {};
  std::string scope = {};  // empty: what the upstream wants, or else all that it supports

  bool operator==(const ClientCredentials& other) const = default;
};

struct HttpUpstreamSettings {
  HttpUrl url = {};
  std::string url_text = {};                                     // as the operator wrote it
  std::vector<std::pair<std::string, std::string>> fields = {};  // of the operator, with each request
  bool sse = false;                                              // the HTTP+SSE of 2024-11-05
  std::optional<ClientCredentials> credentials = {};
  std::string ca_file = {};  // who issues certificates of it and of its issuer; empty: whom this machine trusts
  std::size_t max_connections = 128;
  std::size_t max_message_bytes = std::size_t{64} << 20;
  std::chrono::milliseconds connect_time{10'000};
  // After which a connection on which nothing comes is given up, but for streams on which nothing need come, and
  // requests of the legacy era, which wait for longer; one that is being answered with a stream, and the stream of a
  // session, are taken up again where they broke.
  std::chrono::milliseconds silence{300'000};

  // The URL for messages, and as the name of the resource (RFC 8707 section 2).
  std::string place() const { return std::string(without_query(url_text)); }
};

}  // namespace mcph
