// What MCP is served with over HTTP. Values.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/principal.hpp"
#include "http/router.hpp"
#include "http/rules.hpp"
#include "transport/streamable_http/event_log.hpp"

namespace mcph {

// Of the endpoint.
inline constexpr std::string_view mcp_path = "/mcp";

struct StreamableHttpOptions {
  HttpAccess access = {};
  std::vector<HttpMiddleware> middleware = {};  // what looks at each request after that
  std::vector<HttpResource> resources = {};     // what is served beside MCP
  // The WWW-Authenticate of a response to a client whose credential lacks these scopes.
  std::function<std::string(const std::vector<std::string>& scopes, const Principal& principal)> challenge = {};
  EventLog::Limits events = {};
  // After which a legacy response that is not complete is left to be polled, and so is a stream; 0: never.
  std::chrono::milliseconds stream_time{0};
  bool http_sse = false;  // serve the deprecated transport of 2024-11-05, too
};

}  // namespace mcph
