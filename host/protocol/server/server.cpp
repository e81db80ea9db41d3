#include "protocol/server/server.hpp"

#include <ctime>
#include <optional>
#include <utility>

#include "base/json_text.hpp"
#include "protocol/server/batch.hpp"

namespace mcph {
namespace {

constexpr std::string_view cancelled_method = "notifications/cancelled";

constexpr unsigned http_accepted = 202;
constexpr unsigned http_no_content = 204;
constexpr unsigned http_bad_request = 400;
constexpr unsigned http_not_found = 404;
constexpr unsigned http_method_not_allowed = 405;
constexpr unsigned http_content_too_large = 413;
constexpr unsigned http_unavailable = 503;

// Messages nest a few levels; a tool's arguments some more. Deeper ones are refused before anything is built.
constexpr std::size_t deepest_message = 64;

Reply refuse(std::string_view id, const RpcError& error, unsigned status = http_bad_request) {
  return {error_response(id, error), status};
}

Json names_of_legacy_revisions() {
  auto names = Json::array();
  for (const auto revision : LegacyEra::revisions)
    names.push_back(revision);
  return names;
}

// A legacy client names the revision that initialize settled, if any (2025-06-18, basic/transports, "Protocol Version
// Header").
std::optional<Reply> refuse_version(std::string_view id, const HttpHead& head) {
  if (!head.protocol_version || LegacyEra::is_revision(*head.protocol_version)) return std::nullopt;
  auto supported = names_of_legacy_revisions();
  supported.insert(supported.begin(), ModernEra::revision);
  return refuse(id, {error_code::unsupported_protocol_version,
                     "Unsupported protocol version in the MCP-Protocol-Version header",
                     {{"supported", std::move(supported)}, {"requested", *head.protocol_version}}});
}

Reply refuse_parse(const Error& error) {
  return refuse({}, {error_code::parse_error, "Parse error: " + error.message});
}

// RFC 3339, in UTC.
std::string timestamp(std::chrono::system_clock::time_point when) {
  const auto seconds = std::chrono::system_clock::to_time_t(when);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[sizeof "9999-12-31T23:59:59Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

RpcError batch_refusal() {
  return {error_code::invalid_request,
          "Invalid request: batches exist only in sessions of revision 2025-03-26; send one message at a time"};
}

RpcError modern_refusal() {
  return {error_code::unsupported_protocol_version,
          "This transport has no revision " + std::string(ModernEra::revision) + "; send initialize first, or use " +
              "streamable HTTP",
          {{"supported", names_of_legacy_revisions()}, {"requested", ModernEra::revision}}};
}

RpcError too_many_requests() {
  return {error_code::internal_error, "Too many requests are in flight; wait for answers, or cancel some"};
}

// Nothing is said about a notification, not even that it is malformed (JSON-RPC 2.0 section 4.1).
Reply refuse_message(const ReadMessage& read) {
  return read.is_notification ? Reply{} : refuse(read.id, *read.error);
}

// `session`, null if there is none, is the one in which the client may have been asked.
Reply refuse_as_too_long(const LongMessage& message, const Session* session) {
  const auto& [kind, id] = message.envelope;
  const auto words = message.words();
  if (kind == Message::Kind::response && session != nullptr) session->questions()->refuse_answer(id, words);
  // The id of a response is none of the client's.
  return refuse(kind == Message::Kind::request ? id : std::string(),
                {error_code::invalid_request, "Invalid request: the message " + words}, http_content_too_large);
}

bool is_initialize(const Message& message) {
  return message.kind == Message::Kind::request && message.method == "initialize";
}

}  // namespace

std::string LongMessage::words() const {
  return "is longer than the " + std::to_string(limit) + " bytes that " + std::string(option) + " allows";
}

Server::Server(PublishedCatalog& catalog, const ServerIdentity& identity, ServingOptions options,
               Sessions::Limits session_limits, Log& log)
    : catalog_(catalog),
      log_(log, max_lines_of_clients),
      sessions_(session_limits, catalog),
      legacy_(catalog, identity, options, timers_, log),
      modern_(catalog, identity, options, timers_, log) {}

Server::~Server() {
  timers_.stop();
}

void Server::receive_post(std::string_view body, const HttpHead& head, const std::shared_ptr<Exchange>& exchange) {
  auto json = parse_json(body, deepest_message, DuplicateKeys::refuse);
  if (json.has_error()) return exchange->reply(refuse_parse(json.error()));
  if (json->is_array()) return receive_batch(*std::move(json), head, exchange);

  auto read = read_message(*std::move(json));
  if (read.error) return exchange->reply(refuse(read.id, *read.error));
  auto& message = *read.message;
  if (!ModernEra::is_modern(message, &head)) return receive_legacy(std::move(message), head, exchange);
  // The era has no notification or response that a client would send over HTTP.
  if (message.kind != Message::Kind::request) return exchange->reply({{}, http_accepted});
  modern_.handle(std::move(message), head, exchange);
}

void Server::receive_legacy(Message message, const HttpHead& head, const std::shared_ptr<Exchange>& exchange) {
  if (auto refusal = refuse_version(message.id, head)) return exchange->reply(*std::move(refusal));
  if (is_initialize(message)) return initialize(message, exchange);
  auto found = find_session(message.id, head);
  if (found.session == nullptr) return exchange->reply(std::move(found.refusal));
  serve(std::move(message), found.session, exchange);
}

void Server::receive_batch(Json batch, const HttpHead& head, const std::shared_ptr<Exchange>& exchange) {
  if (head.protocol_version && !LegacyEra::is_revision(*head.protocol_version)) {
    return exchange->reply(refuse({}, batch_refusal()));
  }
  auto found = find_session({}, head);
  if (found.session == nullptr) return exchange->reply(std::move(found.refusal));
  serve_batch(std::move(batch), found.session, exchange);
}

void Server::initialize(const Message& message, const std::shared_ptr<Exchange>& exchange) {
  auto settled = LegacyEra::negotiate(message.params);
  if (const auto* error = std::get_if<RpcError>(&settled)) {
    return exchange->reply(legacy_.error(message.id, message.method, *error));
  }
  const auto session = sessions_.open(std::move(std::get<Caller>(settled)));
  if (session == nullptr) {
    return exchange->reply(refuse(message.id,
                                  {error_code::internal_error,
                                   "Too many sessions are open; end one with DELETE or try again later",
                                   {{"reason", "too_many_sessions"}}},
                                  http_unavailable));
  }
  auto reply = legacy_.initialize_reply(message.id, *session->caller());
  const auto expiry = std::chrono::system_clock::now() + sessions_.idle_time();
  reply.fields = {{"Mcp-Session-Id", session->id()}, {"X-Session-Expires-At", timestamp(expiry)}};
  exchange->reply(std::move(reply));
}

Server::FoundSession Server::find_session(std::string_view request_id, const HttpHead& head) {
  if (auto refusal = refuse_version(request_id, head)) return {nullptr, *std::move(refusal)};
  if (!head.session_id) {
    return {nullptr, refuse(request_id, {error_code::invalid_request,
                                         "Missing Mcp-Session-Id header: send initialize first, then its session id "
                                         "with every request",
                                         {{"reason", "missing_session_id"}}})};
  }
  auto session = sessions_.find(*head.session_id);
  if (session != nullptr) return {std::move(session), {}};
  return {nullptr, refuse(request_id,
                          {error_code::invalid_request,
                           "Session not found: it has ended; send initialize for a new one",
                           {{"reason", "session_not_found"}}},
                          http_not_found)};
}

Reply Server::refuse_long(const LongMessage& message, const StdioClient& client) {
  return refuse_as_too_long(message, client.session.get());
}

Reply Server::refuse_long_post(const LongMessage& message, const HttpHead& head) {
  return refuse_as_too_long(message, find_session({}, head).session.get());
}

void Server::receive_line(std::string_view line, StdioClient& client, const std::shared_ptr<Exchange>& exchange) {
  auto json = parse_json(line, deepest_message, DuplicateKeys::refuse);
  if (json.has_error()) return exchange->reply(refuse_parse(json.error()));
  if (json->is_array()) return receive_batch_line(*std::move(json), client, exchange);

  auto read = read_message(*std::move(json));
  if (read.error) return exchange->reply(refuse_message(read));
  auto& message = *read.message;
  if (message.kind == Message::Kind::request && !client.takes_requests) {
    return exchange->reply(refuse(message.id, too_many_requests()));
  }
  if (message.kind == Message::Kind::request && ModernEra::is_modern(message, nullptr)) {
    if (!client.may_be_modern) return exchange->reply({error_response(message.id, modern_refusal())});
    client.modern_requests->add(message.id, exchange);
    return modern_.handle(std::move(message), client.output, exchange);
  }
  if (is_initialize(message)) return initialize_stdio(message, client, exchange);
  if (message.kind == Message::Kind::notification && message.method == cancelled_method) {
    const auto id = message.params.find("requestId");
    const auto cancelled = id == message.params.end() ? nullptr : client.modern_requests->find(dump(*id));
    if (cancelled != nullptr) {
      log_cancellation(message);
      cancelled->abandon();
      return exchange->reply({});
    }
  }
  if (client.session != nullptr) return serve(std::move(message), client.session, exchange);
  if (message.kind != Message::Kind::request) return exchange->reply({});
  if (message.method == "ping") return exchange->reply({result_response(message.id, "{}")});
  exchange->reply(refuse(message.id, {error_code::invalid_request,
                                      "Not initialized: send initialize first, or a request with the _meta of "
                                      "revision 2026-07-28"}));
}

void Server::receive_batch_line(Json batch, StdioClient& client, const std::shared_ptr<Exchange>& exchange) {
  if (!client.takes_requests) return exchange->reply(refuse({}, too_many_requests()));
  if (client.session == nullptr) return exchange->reply(refuse({}, batch_refusal()));
  serve_batch(std::move(batch), client.session, exchange);
}

void Server::initialize_stdio(const Message& message, StdioClient& client, const std::shared_ptr<Exchange>& exchange) {
  if (client.session != nullptr) {
    return exchange->reply(refuse(message.id, {error_code::invalid_request, "This client is initialized already"}));
  }
  auto settled = LegacyEra::negotiate(message.params);
  if (const auto* error = std::get_if<RpcError>(&settled)) {
    return exchange->reply(legacy_.error(message.id, message.method, *error));
  }
  client.session = std::make_shared<Session>(std::string(), std::move(std::get<Caller>(settled)));
  client.session->attach(client.output);
  catalog_.listen(client.session);
  exchange->reply(legacy_.initialize_reply(message.id, *client.session->caller()));
}

void Server::serve_batch(Json batch, const std::shared_ptr<Session>& session,
                         const std::shared_ptr<Exchange>& exchange) {
  if (!LegacyEra::has_batches(session->caller()->protocol_version)) {
    return exchange->reply(refuse({}, batch_refusal()));
  }
  if (batch.empty() || batch.size() > longest_batch) {
    return exchange->reply(refuse({}, {error_code::invalid_request, "Invalid request: a batch has 1 to " +
                                                                        std::to_string(longest_batch) + " messages"}));
  }
  const auto whole = std::make_shared<Batch>(batch.size(), exchange);
  std::vector<std::pair<ReadMessage, std::shared_ptr<Exchange>>> parts;
  std::vector<std::weak_ptr<Exchange>> unanswered;
  for (auto& json : batch) {
    parts.emplace_back(read_message(std::move(json)), whole->part());
    unanswered.push_back(parts.back().second);
  }
  exchange->on_abandon([unanswered = std::move(unanswered)] {
    for (const auto& weak : unanswered) {
      if (const auto part = weak.lock()) part->abandon();
    }
  });
  for (auto& [read, part] : parts) {
    if (read.error) {
      part->reply(refuse_message(read));
    } else if (is_initialize(*read.message)) {
      part->reply(
          refuse(read.id, {error_code::invalid_request, "Invalid request: initialize cannot be part of a batch"}));
    } else {
      serve(*std::move(read.message), session, part);
    }
  }
}

void Server::serve(Message message, const std::shared_ptr<Session>& session,
                   const std::shared_ptr<Exchange>& exchange) {
  if (message.kind == Message::Kind::request) return legacy_.handle(std::move(message), session, exchange);
  if (message.method == cancelled_method) log_cancellation(message);
  // First, because what the message leads to may take long.
  exchange->reply({{}, http_accepted});
  if (message.kind == Message::Kind::notification) LegacyEra::take(message, *session);
  if (message.kind == Message::Kind::response) session->questions()->take(message);
}

void Server::log_cancellation(const Message& notification) {
  constexpr std::size_t longest_shown = 500;
  const auto shown = [&](const char* name) {
    const auto value = notification.params.find(name);
    if (value == notification.params.end()) return std::string();
    return (value->is_string() ? value->get<std::string>() : dump(*value)).substr(0, longest_shown);
  };
  log_.debug("request cancelled", {{"id", shown("requestId")}, {"reason", shown("reason")}});
}

Server::StreamAdmission Server::admit_stream(const HttpHead& head) {
  if (closing_.load()) {
    return {nullptr, refuse({}, {error_code::internal_error, "This server is stopping"}, http_unavailable)};
  }
  if (head.protocol_version == ModernEra::revision) {
    return {nullptr, refuse({},
                            {error_code::invalid_request,
                             "Revision 2026-07-28 has no GET stream; send subscriptions/listen by POST"},
                            http_method_not_allowed)};
  }
  auto found = find_session({}, head);
  return {std::move(found.session), std::move(found.refusal)};
}

Reply Server::end_session(const HttpHead& head) {
  if (head.protocol_version == ModernEra::revision) {
    auto reply =
        refuse({}, {error_code::invalid_request, "Revision 2026-07-28 has no sessions"}, http_method_not_allowed);
    reply.fields = {{"Allow", "POST, OPTIONS, HEAD"}};
    return reply;
  }
  auto found = find_session({}, head);
  if (found.session == nullptr) return std::move(found.refusal);
  sessions_.close(found.session->id());
  return {{}, http_no_content};
}

void Server::end_input(StdioClient& client) {
  if (client.session != nullptr) client.session->questions()->end("The client is gone");
}

void Server::close_streams() {
  closing_.store(true);
  modern_.end();
  sessions_.close_all();
}

}  // namespace mcph
