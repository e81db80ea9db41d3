// What MCP is served with over HTTP. Values.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/principal.hpp"
#include "http/router.hpp"
#include "limits/limits.hpp"
#include "runtime/current.hpp"
#include "transport/streamable_http/event_log.hpp"

namespace mcph {

// Of the endpoint of a server, after the path of the server itself.
inline constexpr std::string_view mcp_path = "/mcp";

// The WWW-Authenticate of a response to a client whose credential lacks these scopes, by the path of its request.
using ScopeChallenge = std::function<std::string(const std::vector<std::string>& scopes, const Principal& principal,
                                                 std::string_view path)>;

// A principal who has proven who they are, with what is known of them now.
using PrincipalRenewal = std::function<Principal(const Principal& principal)>;

struct StreamableHttpOptions {
  // At which the server is found: "/tools"; empty: it is the one that needs none. A segment "*" stands for any.
  std::vector<std::string> paths = {""};
  std::vector<HttpMiddleware> middleware = {};  // what looks at each of its requests
  ScopeChallenge challenge = {};                // null: nobody has scopes
  PrincipalRenewal renew = {};                  // null: what is known of them stays as it is
  bool sessions_optional = false;               // a legacy request without a session is served by itself
  // Which calls of components are admitted; null: all. Outlives what is served.
  const Current<Limits>* limits = nullptr;
  HttpRefusalListener refused = {};  // hears of each request that comes to nothing before the protocol sees it
  EventLog::Limits events = {};
  // After which a legacy response that is not complete is left to be polled, and so is a stream; 0: never.
  std::chrono::milliseconds stream_time{0};
  bool websocket = true;  // serve clients by WebSocket, too
  bool http_sse = false;  // serve the deprecated transport of 2024-11-05, too
};

}  // namespace mcph
