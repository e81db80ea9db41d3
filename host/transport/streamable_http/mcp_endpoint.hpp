// What MCP is on HTTP: which of the two eras a request belongs to by its headers, to which session, and what is refused
// before the protocol sees it (2025-11-25 and 2026-07-28, basic/transports). One for the server, which outlives it; any
// thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "protocol/server/server.hpp"
#include "transport/streamable_http/request_head.hpp"

namespace mcph {

class McpEndpoint {
 public:
  // `sessions_optional`: a request of the legacy era that names no session is served by itself.
  McpEndpoint(Server& server, bool sessions_optional) : server_(server), sessions_optional_(sessions_optional) {}

  static bool names_modern_revision(const HttpHead& head) { return head.protocol_version == ModernEra::revision; }

  // In which the request of this head is answered, as far as the head says it; empty: it does not.
  std::string revision_of(const HttpHead& head);

  // A POST of this body.
  void post(std::string_view body, const HttpHead& head, const std::shared_ptr<Exchange>& exchange);
  // One whose body is too long.
  Reply refuse_long(const LongMessage& message, const HttpHead& head);

  // Null, and why not.
  struct FoundSession {
    std::shared_ptr<Session> session;
    Reply reply = {};
  };
  // A GET: the session whose notification stream it opens.
  FoundSession admit_stream(const HttpHead& head);

  // A DELETE.
  Reply end_session(const HttpHead& head);

 private:
  void post_legacy(const Message& message, const HttpHead& head, const std::shared_ptr<Exchange>& exchange);
  void post_batch(JsonValue batch, const HttpHead& head, const std::shared_ptr<Exchange>& exchange);
  // For one request of a client that has opened none.
  static std::shared_ptr<Session> short_session(const HttpHead& head);
  // That the header of a request of this id names.
  FoundSession find_session(std::string_view request_id, const HttpHead& head);

  Server& server_;
  const bool sessions_optional_;
};

}  // namespace mcph
