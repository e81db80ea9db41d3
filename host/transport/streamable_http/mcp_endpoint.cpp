#include "transport/streamable_http/mcp_endpoint.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "catalog/narrowing.hpp"
#include "protocol/error_reply.hpp"
#include "protocol/request_meta.hpp"
#include "transport/streamable_http/mirrored_headers.hpp"

namespace mcph {
namespace {

// A legacy client names the revision that initialize settled, if any (2025-06-18, basic/transports, "Protocol Version
// Header").
std::optional<Reply> refuse_version(std::string_view id, const HttpHead& head) {
  if (!head.protocol_version || LegacyEra::is_revision(*head.protocol_version)) return std::nullopt;
  const RpcError error{error_code::unsupported_protocol_version,
                       "Unsupported protocol version in the MCP-Protocol-Version header",
                       {{"supported", supported_revisions()}, {"requested", *head.protocol_version}}};
  return error_reply(id, error, ReplyStatus::invalid);
}

// The revision that the header names wants headers that mirror the body (2026-07-28, basic/transports/streamable-http,
// "Server Validation"), and initialize has nothing that they could mirror.
RpcError modern_header_of_initialize() {
  return {error_code::header_mismatch,
          "Header mismatch: initialize is of revisions up to 2025-11-25, and the MCP-Protocol-Version header says "
          "2026-07-28; leave the header out"};
}

// Of a client that names none and has not settled one (2025-06-18, basic/transports, "Protocol Version Header").
std::string_view assumed_revision(const HttpHead& head) {
  return head.protocol_version.value_or("2025-03-26");
}

// What it would change belongs to a session, and would be gone with the request.
bool needs_session(std::optional<Method> method) {
  return method == Method::resources_subscribe || method == Method::resources_unsubscribe ||
         method == Method::logging_set_level;
}

bool needs_session(JsonValue batch) {
  for (const auto message : batch.elements()) {
    const auto method = message.find("method");
    if (method.is_string() && needs_session(find_method(method.string()))) return true;
  }
  return false;
}

Reply refuse(const RpcError& error, ReplyStatus status) {
  return error_reply({}, error, status);
}

}  // namespace

void McpEndpoint::post(std::string_view body, const HttpHead& head, const std::shared_ptr<Exchange>& exchange) {
  auto text = Server::read(body);
  if (auto* none = std::get_if<Server::NoMessage>(&text.content)) {
    const auto session = head.session_id ? server_.find_session(*head.session_id, head.principal) : nullptr;
    return exchange->reply(Server::refuse_unread(std::move(*none), session.get()));
  }
  if (const auto* batch = std::get_if<JsonValue>(&text.content)) return post_batch(*batch, head, exchange);
  const auto& message = std::get<Message>(text.content);
  if (message.is_initialize() && names_modern_revision(head) && !has_modern_meta(message.params))
    return exchange->reply(error_reply(message.id, modern_header_of_initialize(), ReplyStatus::invalid));
  const bool is_of_no_other = message.kind == Message::Kind::request && ModernEra::has_alone(message.method);
  const bool is_modern =
      has_modern_meta(message.params) || names_modern_revision(head) || (is_of_no_other && !head.session_id);
  if (!is_modern) return post_legacy(message, head, exchange);
  const MirroredHeaders mirrored(head);
  server_.receive_modern(message, {.principal = head.principal, .mirrored = &mirrored, .limits = head.limits},
                         exchange);
}

std::string McpEndpoint::revision_of(const HttpHead& head) {
  if (head.session_id && !names_modern_revision(head)) {
    // It is answered as initialize has settled, even if its header names another revision.
    const auto session = server_.find_session(*head.session_id, head.principal);
    if (session != nullptr) return session->caller()->protocol_version;
  }
  if (head.protocol_version || (sessions_optional_ && !head.session_id)) return std::string(assumed_revision(head));
  return {};
}

void McpEndpoint::post_legacy(const Message& message, const HttpHead& head, const std::shared_ptr<Exchange>& exchange) {
  // The id of a response is the host's own (2025-11-25, basic/transports, "Sending Messages to the Server" 4).
  const std::string_view id = message.kind == Message::Kind::request ? std::string_view(message.id) : "";
  if (auto refusal = refuse_version(id, head)) return exchange->reply(*std::move(refusal));
  if (message.is_initialize()) return server_.initialize(message, head.principal, exchange);
  if (sessions_optional_ && !head.session_id && !needs_session(message.method))
    return server_.receive_legacy(message, short_session(head), head.context(), exchange);
  auto found = find_session(id, head);
  if (found.session == nullptr) return exchange->reply(std::move(found.reply));
  server_.receive_legacy(message, found.session, head.context(), exchange);
}

void McpEndpoint::post_batch(JsonValue batch, const HttpHead& head, const std::shared_ptr<Exchange>& exchange) {
  if (head.protocol_version && !LegacyEra::is_revision(*head.protocol_version)) {
    return exchange->reply(Server::refuse_batch());
  }
  if (sessions_optional_ && !head.session_id && LegacyEra::has_batches(assumed_revision(head)) && !needs_session(batch))
    return server_.receive_batch(batch, short_session(head), head.context(), exchange);
  auto found = find_session({}, head);
  if (found.session == nullptr) return exchange->reply(std::move(found.reply));
  server_.receive_batch(batch, found.session, head.context(), exchange);
}

std::shared_ptr<Session> McpEndpoint::short_session(const HttpHead& head) {
  Caller caller{.protocol_version = std::string(assumed_revision(head)), .principal = head.principal};
  return std::make_shared<Session>(std::string(), std::move(caller));
}

McpEndpoint::FoundSession McpEndpoint::find_session(std::string_view request_id, const HttpHead& head) {
  if (auto refusal = refuse_version(request_id, head)) return {nullptr, *std::move(refusal)};
  if (!head.session_id) {
    const RpcError error{error_code::invalid_request,
                         "Missing Mcp-Session-Id header: send initialize first, then its session id with every "
                         "request, or a request with the _meta of revision 2026-07-28",
                         {{"reason", "missing_session_id"},
                          {"details",
                           "every request of a session names it in the header Mcp-Session-Id; this is an MCP endpoint: "
                           "point an MCP client at it"}}};
    return {nullptr, error_reply(request_id, error, ReplyStatus::invalid)};
  }
  auto session = server_.find_session(*head.session_id, head.principal);
  // One belongs to the path where it has been opened.
  if (session != nullptr && upstream_for(session->caller()->principal) == upstream_for(head.principal))
    return {std::move(session)};
  const RpcError error{error_code::invalid_request,
                       "Session not found: it has ended; send initialize for a new one",
                       {{"reason", "session_not_found"},
                        {"details", "no session has this id, or it was ended, or not used for too long"}}};
  return {nullptr, error_reply(request_id, error, ReplyStatus::not_found)};
}

Reply McpEndpoint::refuse_long(const LongMessage& message, const HttpHead& head) {
  return Server::refuse_long(message, find_session({}, head).session.get());
}

McpEndpoint::FoundSession McpEndpoint::admit_stream(const HttpHead& head) {
  if (server_.is_closing()) {
    return {nullptr, refuse({error_code::internal_error, "This server is stopping"}, ReplyStatus::unavailable)};
  }
  if (names_modern_revision(head)) {
    return {nullptr, refuse({error_code::invalid_request,
                             "Revision 2026-07-28 has no GET stream; send subscriptions/listen by POST"},
                            ReplyStatus::not_offered)};
  }
  return find_session({}, head);
}

Reply McpEndpoint::end_session(const HttpHead& head) {
  if (names_modern_revision(head)) {
    return refuse({error_code::invalid_request, "Revision 2026-07-28 has no sessions"}, ReplyStatus::not_offered);
  }
  auto found = find_session({}, head);
  if (found.session == nullptr) return std::move(found.reply);
  server_.end_session(*found.session);
  return {{}, ReplyStatus::ended};
}

}  // namespace mcph
