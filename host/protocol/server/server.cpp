#include "protocol/server/server.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "base/utf8.hpp"
#include "protocol/asked_component.hpp"
#include "protocol/error_reply.hpp"
#include "protocol/limit_error.hpp"
#include "protocol/request_meta.hpp"
#include "protocol/revisions.hpp"
#include "protocol/server/batch.hpp"

namespace mcph {
namespace {

// Messages nest a few levels; a tool's arguments some more. Deeper ones are refused before anything is built.
constexpr std::size_t max_message_depth = 64;

Reply refuse(std::string_view id, const RpcError& error) {
  return error_reply(id, error, ReplyStatus::invalid);
}

RpcError modern_refusal(JsonValue params) {
  static constexpr std::size_t max_shown_version = 64;
  const auto version = read_version(params);
  if (version.has_error()) return version.error();
  return {error_code::unsupported_protocol_version,
          "This transport has no revision " + std::string(utf8_prefix(*version, max_shown_version)) +
              "; send initialize first, or use streamable HTTP",
          {{"supported", LegacyEra::revisions}, {"requested", *version}}};
}

// A client with one output is let go once it has its answers.
RpcError server_is_stopping() {
  return {error_code::internal_error, "This server is stopping"};
}

RpcError too_many_requests() {
  return {error_code::internal_error, "Too many requests are in flight; wait for answers, or cancel some"};
}

RpcError wrong_batch_size() {
  return {error_code::invalid_request,
          "Invalid request: a batch has 1 to " + std::to_string(Server::max_batch) + " messages"};
}

// On an output that is for everything, nothing but its id says which request an error is about.
Reply refuse_each(JsonValue batch, const Session& session) {
  auto refusal = refuse({}, wrong_batch_size());
  std::string refusals;
  for (const auto json : batch.elements()) {
    const auto read = read_message(json);
    const bool is_response = read.message && read.message->kind == Message::Kind::response;
    if (const auto& answered = is_response ? read.id : read.answered; !answered.empty()) {
      session.input_requests()->refuse_answer(
          answered, "is in a batch of more than " + std::to_string(Server::max_batch) + " messages");
    } else if (!read.id.empty()) {
      refusals.append(refusals.empty() ? "[" : ",").append(error_response(read.id, wrong_batch_size()));
    }
  }
  if (!refusals.empty()) refusal.body = std::move(refusals) + "]";
  return refusal;
}

Server::NoMessage no_message(const ReadMessage& read) {
  Server::NoMessage none{.reply = refuse(read.id, *read.error), .is_notification = read.is_notification};
  if (read.answered.empty()) return none;
  none.envelope = {Message::Kind::response, read.answered};
  none.why = "no message: " + read.error->data.at("details").get<std::string>();
  return none;
}

// Counts what its transport has not counted. Nothing: it may go on.
std::optional<RpcError> over_limit(const RequestContext& context, Exchange& exchange) {
  if (context.limits == nullptr) return std::nullopt;
  auto verdict = context.limits->admit_further();
  if (verdict.refusal) return limit_error(*verdict.refusal);
  exchange.hold_places(std::move(verdict.places));
  return std::nullopt;
}

// The era has no notification that a client would send on a path of its own, and leaves open which headers one has.
// What it says of its version is true all the same (2026-07-28, basic/transports/streamable-http, "Sending Messages"
// and "Protocol Version Header").
Reply reply_to_modern_notification(const Message& notification, const RequestContext& context) {
  const auto version = read_version(notification.params);
  if (version.has_error()) return {{}, ReplyStatus::accepted};
  if (context.mirrored != nullptr) {
    if (const auto checked = context.mirrored->check_version(*version); checked.has_error())
      return refuse({}, checked.error());
  }
  if (*version == ModernEra::revision) return {{}, ReplyStatus::accepted};
  return refuse({}, {error_code::unsupported_protocol_version,
                     "Unsupported protocol version",
                     {{"supported", supported_revisions()}, {"requested", *version}}});
}

// What is answered to a text that is no request that could be served: it has been read all the same, and counts, too.
Reply counted_refusal(Reply refusal, const RequestContext& context, Exchange& exchange) {
  const auto error = context.counted ? std::nullopt : over_limit(context, exchange);
  return error ? error_reply(id_of_response(refusal.body), *error) : std::move(refusal);
}

}  // namespace

std::string LongMessage::words() const {
  return "is longer than the " + std::to_string(limit) + " bytes that " + std::string(option) + " allows";
}

Server::Server(PublishedCatalog& catalog, const ServerIdentity& identity, const ServingOptions& options,
               Sessions::Limits session_limits, Log& log, CallObserver* observer, RequestRecords* records)
    : catalog_(catalog),
      observer_(observer),
      log_(log, max_lines_of_clients),
      records_(records),
      sessions_(session_limits, catalog, std::chrono::steady_clock::now, observer),
      legacy_(catalog, identity, options, timers_, log, observer),
      modern_(catalog, identity, options, timers_, log, observer) {
  if (records_ == nullptr) return;
  sessions_.when_ended([records](const Session& session) { records->session_ended(session.id(), *session.caller()); });
}

Server::~Server() {
  timers_.stop();
}

Server::Text Server::read(std::string_view text) {
  auto document = JsonDocument::read(text, max_message_depth);
  if (document.has_error()) {
    // Whoever has sent it waits for an answer under its id (basic/index, "Error Responses").
    EnvelopeReader reader;
    reader.feed(text);
    auto envelope = reader.envelope();
    const auto& why = document.error().message;
    const auto id = envelope.kind == Message::Kind::request ? envelope.id : std::string();
    return {{},
            NoMessage{refuse(id, {error_code::parse_error, "Parse error: " + why}),
                      envelope.kind == Message::Kind::notification, std::move(envelope), why}};
  }
  const auto json = document->root();
  if (json.is_array()) return {*std::move(document), json};
  auto read = read_message(json);
  if (read.error) return {{}, no_message(read)};
  return {*std::move(document), *std::move(read.message)};
}

void Server::receive_modern(const Message& message, const RequestContext& context,
                            const std::shared_ptr<Exchange>& exchange) {
  if (message.kind == Message::Kind::notification)
    return exchange->reply(reply_to_modern_notification(message, context));
  if (message.kind == Message::Kind::response)
    return exchange->reply(
        refuse({}, {error_code::invalid_request, "Invalid request: revision 2026-07-28 has no responses of clients"}));
  if (!admit(message, context.principal, nullptr, *exchange)) return;
  modern_.handle(message, context, exchange);
}

bool Server::admit(const Message& request, const Principal& principal, const Session* session, Exchange& exchange) {
  if (observer_ != nullptr) observe(request, principal, exchange);
  return records_ == nullptr || record(request, principal, session, exchange);
}

bool Server::admit_legacy(const Message& request, const Principal& principal, const Session* session,
                          Exchange& exchange) {
  if (!admit(request, principal, session, exchange)) return false;
  const auto checked = check_meta(request.params);
  if (checked.has_error()) exchange.reply(error_reply(request.id, checked.error()));
  return checked.has_value();
}

bool Server::record(const Message& message, const Principal& principal, const Session* session,
                    Exchange& exchange) const {
  if (!is_recorded(message)) return true;
  if (const auto why = records_->refuses()) {
    exchange.reply(
        error_reply(message.id,
                    {error_code::internal_error,
                     "Nothing is done that cannot be recorded, and the audit log cannot be written: " + *why},
                    ReplyStatus::unavailable));
    return false;
  }
  auto request = recorded_request(message, exchange.origin(), principal);
  if (session != nullptr) {
    const auto caller = session->caller();
    request.session = session->id();
    request.protocol_version = caller->protocol_version;
    set_client(request, caller->client);
  }
  const auto arguments = message.params.find("arguments");
  if (arguments && !request.component.empty()) request.arguments = records_->arguments(request.component, arguments);
  exchange.keep_record(std::make_shared<RequestRecord>(*records_, std::move(request)));
  return true;
}

bool Server::count(const Message& request, const RequestContext& context, Exchange& exchange) const {
  const auto error = over_limit(context, exchange);
  if (!error) return true;
  if (records_ != nullptr) {
    auto limited = recorded_request(request, exchange.origin(), context.principal);
    limited.end.outcome = "limited";
    records_->record_end(limited, {});
  }
  exchange.reply(error_reply(request.id, *error));
  return false;
}

void Server::observe(const Message& request, const Principal& principal, Exchange& exchange) {
  constexpr std::size_t max_component = std::size_t{16} << 10;  // lives as long as the request
  const auto component = component_in(request.method, request.params);
  ObservedCall call{
      .id = request.id,
      .method = request.method,
      .unknown_method = request.method ? std::string() : request.method_name,
      .component = component.is_string() ? std::string(utf8_prefix(component.string(), max_component)) : "",
      .principal = principal,
      .transport = exchange.arrival().transport,
      .params_bytes = request.params.text().size()};
  call.params = utf8_prefix(request.params.text(), observer_->kept_params());
  call.span = observer_->begin_span(request.params.find("_meta"), exchange.arrival());
  exchange.observe(*observer_, std::move(call));
}

void Server::initialize(const Message& message, const Principal& principal, const std::shared_ptr<Exchange>& exchange) {
  if (!admit_legacy(message, principal, nullptr, *exchange)) return;
  auto settled = LegacyEra::negotiate(message.params);
  if (settled.has_error()) {
    return exchange->reply(legacy_.error(message.id, settled.error()));
  }
  auto& caller = *settled;
  caller.principal = principal;
  const auto session = sessions_.open(std::move(caller));
  if (session == nullptr) {
    return exchange->reply(error_reply(message.id,
                                       {error_code::internal_error,
                                        "Too many sessions are open; end one, or try again later",
                                        {{"reason", "too_many_sessions"}}},
                                       ReplyStatus::unavailable));
  }
  exchange->note_caller(session->caller());
  auto reply = legacy_.initialize_reply(message.id, *session->caller());
  reply.session = {session->id(), std::chrono::system_clock::now() + sessions_.idle_time(),
                   session->caller()->protocol_version};
  exchange->reply(std::move(reply));
}

Reply Server::refuse_batch() {
  return refuse({},
                {error_code::invalid_request,
                 "Invalid request: batches exist only in sessions of revision 2025-03-26; send one message at a time"});
}

std::shared_ptr<Session> Server::find_session(std::string_view id, const Principal& principal) {
  return sessions_.find(id, principal);
}

void Server::end_session(const Session& session) {
  sessions_.close(session.id());
}

Reply Server::refuse_long(const LongMessage& message, const Session* session) {
  const auto& [kind, id] = message.envelope;
  const auto words = message.words();
  if (kind == Message::Kind::response && session != nullptr) session->input_requests()->refuse_answer(id, words);
  // The id of a response is none of the client's.
  return error_reply(kind == Message::Kind::request ? id : std::string(),
                     {error_code::invalid_request, "Invalid request: the message " + words}, ReplyStatus::too_long);
}

Reply Server::refuse_unread(NoMessage message, const Session* session) {
  const auto& [kind, id] = message.envelope;
  if (kind == Message::Kind::response && session != nullptr)
    session->input_requests()->refuse_answer(id, "is " + message.why);
  return std::move(message.reply);
}

void Server::receive(std::string_view text, DuplexClient& client, const RequestContext& context,
                     const std::shared_ptr<Exchange>& exchange) {
  auto read = Server::read(text);
  if (auto* none = std::get_if<NoMessage>(&read.content)) {
    // Nothing is said about a notification, not even that it is malformed (JSON-RPC 2.0 section 4.1).
    if (none->is_notification) return exchange->reply({});
    auto refusal = refuse_unread(std::move(*none), client.session.get());
    return exchange->reply(counted_refusal(std::move(refusal), context, *exchange));
  }
  if (const auto* batch = std::get_if<JsonValue>(&read.content))
    return receive_batch(*batch, client, context, exchange);
  const auto& message = std::get<Message>(read.content);
  if (message.kind == Message::Kind::request) {
    if (is_closing()) return exchange->reply(refuse(message.id, server_is_stopping()));
    if (!client.takes_requests) return exchange->reply(refuse(message.id, too_many_requests()));
  }
  if (message.kind == Message::Kind::request && !context.counted && !count(message, context, *exchange)) return;
  if (message.kind == Message::Kind::request && has_modern_meta(message.params)) {
    if (!client.may_be_modern) return exchange->reply(error_reply(message.id, modern_refusal(message.params)));
    if (!admit(message, context.principal, nullptr, *exchange)) return;
    client.modern_requests->add(message.id, context.principal, exchange);
    return modern_.handle(message, context, exchange, client.output);
  }
  if (message.is_initialize()) return initialize(message, client, context.principal, exchange);
  if (message.kind == Message::Kind::notification && message.method == Method::notifications_cancelled) {
    const auto cancelled = client.modern_requests->find(id_text(message.params.find("requestId")));
    if (cancelled != nullptr) {
      log_cancellation(message);
      cancelled->abandon();
      return exchange->reply({});
    }
  }
  if (client.session != nullptr) return receive_legacy(message, client.session, context, exchange);
  if (message.kind != Message::Kind::request) return exchange->reply({});
  if (message.method == Method::ping) return exchange->reply({result_response(message.id, "{}")});
  if (client.may_be_modern && ModernEra::has_alone(message.method))
    return exchange->reply(refuse(message.id, read_version(message.params).error()));
  // One of the newest revision lacks fields that each request must have (basic/index, "Per-request protocol fields").
  const bool may_lack_fields = client.may_be_modern && ModernEra::has_method(message.method);
  exchange->reply(refuse(message.id, {may_lack_fields ? error_code::invalid_params : error_code::invalid_request,
                                      "Not initialized: send initialize first, or a request with the _meta of "
                                      "revision 2026-07-28"}));
}

void Server::receive_batch(JsonValue batch, DuplexClient& client, const RequestContext& context,
                           const std::shared_ptr<Exchange>& exchange) {
  if (client.session == nullptr) return exchange->reply(counted_refusal(refuse_batch(), context, *exchange));
  const bool has_batches = LegacyEra::has_batches(client.session->caller()->protocol_version);
  if (has_batches && batch.size() > max_batch)
    return exchange->reply(counted_refusal(refuse_each(batch, *client.session), context, *exchange));
  std::optional<RpcError> refusal;
  if (!client.takes_requests) refusal = too_many_requests();
  if (is_closing()) refusal = server_is_stopping();
  receive_batch(batch, client.session, context, exchange, refusal);
}

void Server::initialize(const Message& message, DuplexClient& client, const Principal& principal,
                        const std::shared_ptr<Exchange>& exchange) {
  if (!admit_legacy(message, principal, client.session.get(), *exchange)) return;
  if (client.session != nullptr) {
    return exchange->reply(refuse(message.id, {error_code::invalid_request, "This client is initialized already"}));
  }
  auto settled = LegacyEra::negotiate(message.params);
  if (settled.has_error()) {
    return exchange->reply(legacy_.error(message.id, settled.error()));
  }
  auto& caller = *settled;
  caller.principal = principal;
  client.session = std::make_shared<Session>(std::string(), std::move(caller));
  client.session->attach(client.output, client.reader);
  catalog_.listen(client.session);
  exchange->note_caller(client.session->caller());
  exchange->reply(legacy_.initialize_reply(message.id, *client.session->caller()));
}

void Server::receive_batch(JsonValue batch, const std::shared_ptr<Session>& session, const RequestContext& context,
                           const std::shared_ptr<Exchange>& exchange, const std::optional<RpcError>& refusal) {
  if (!LegacyEra::has_batches(session->caller()->protocol_version)) {
    return exchange->reply(counted_refusal(refuse_batch(), context, *exchange));
  }
  if (batch.size() == 0 || batch.size() > max_batch)
    return exchange->reply(counted_refusal(refuse({}, wrong_batch_size()), context, *exchange));
  const auto whole = std::make_shared<Batch>(batch.size(), exchange, batch_answers_);
  std::vector<std::pair<ReadMessage, std::shared_ptr<Exchange>>> parts;
  std::vector<std::weak_ptr<Exchange>> unanswered;
  for (const auto json : batch.elements()) {
    parts.emplace_back(read_message(json), whole->part());
    parts.back().second->comes_from(exchange->origin());
    unanswered.push_back(parts.back().second);
  }
  exchange->on_abandon([unanswered = std::move(unanswered)] {
    for (const auto& weak : unanswered) {
      if (const auto part = weak.lock()) part->abandon();
    }
  });
  bool counted = context.counted;  // of the first, as the request that brought them all
  for (auto& [read, part] : parts) {
    const bool is_request = read.message && read.message->kind == Message::Kind::request;
    if (is_request && refusal) {
      part->reply(refuse(read.id, *refusal));
      continue;
    }
    const bool is_further = is_request && !std::exchange(counted, false);
    if (is_further && !count(*read.message, context, *part)) continue;
    if (read.error) {
      auto unread = refuse_unread(no_message(read), session.get());
      part->reply(read.is_notification ? Reply{} : counted_refusal(std::move(unread), context, *part));
    } else if (read.message->is_initialize()) {
      part->reply(
          refuse(read.id, {error_code::invalid_request, "Invalid request: initialize cannot be part of a batch"}));
    } else {
      receive_legacy(*read.message, session, context, part);
    }
  }
}

void Server::receive_legacy(const Message& message, const std::shared_ptr<Session>& session,
                            const RequestContext& context, const std::shared_ptr<Exchange>& exchange) {
  if (message.kind == Message::Kind::request) {
    if (!admit_legacy(message, context.principal, session.get(), *exchange)) return;
    return legacy_.handle(message, session, context, exchange);
  }
  if (message.method == Method::notifications_cancelled) log_cancellation(message);
  // First, because what the message leads to may take long.
  exchange->reply({{}, ReplyStatus::accepted});
  if (message.kind == Message::Kind::notification) LegacyEra::take(message, *session);
  if (message.kind == Message::Kind::response) session->input_requests()->take(message);
}

void Server::log_cancellation(const Message& notification) {
  constexpr std::size_t max_shown = 500;
  if (!log_.writes(Log::Level::debug)) return;
  const auto shown = [&](const char* name) {
    const auto value = notification.params.find(name);
    return std::string(utf8_prefix(value.is_string() ? value.string() : std::string(value.text()), max_shown));
  };
  log_.debug("request cancelled", {{"id", shown("requestId")}, {"reason", shown("reason")}});
}

void Server::end_input(DuplexClient& client) {
  if (client.session != nullptr) client.session->input_requests()->end("The client is gone");
}

void Server::close_streams_of(const IsGood& is_good) {
  modern_.end_what_is_of(is_good);
  sessions_.close_streams_of(is_good);
}

Server::Figures Server::figures() {
  return {.sessions = sessions_.count(), .subscriptions = modern_.subscriptions(), .tasks = modern_.tasks()};
}

void Server::close_streams() {
  closing_.store(true);
  modern_.end();
  sessions_.close_all();
}

}  // namespace mcph
