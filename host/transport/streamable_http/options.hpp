// What MCP is served with over HTTP. Values.
#pragma once

#include <chrono>
#include <vector>

#include "http/router.hpp"
#include "http/rules.hpp"
#include "transport/streamable_http/event_log.hpp"

namespace mcph {

struct StreamableHttpOptions {
  HttpAccess access = {};
  std::vector<HttpMiddleware> middleware = {};  // what looks at each request after that
  EventLog::Limits events = {};
  // After which a legacy response that is not complete is left to be polled, and so is a stream; 0: never.
  std::chrono::milliseconds stream_time{0};
  bool http_sse = false;  // serve the deprecated transport of 2024-11-05, too
};

}  // namespace mcph
