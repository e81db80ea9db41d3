#include "transport/streamable_http/streamable_http.hpp"

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <utility>

#include "catalog/narrowing.hpp"
#include "runtime/frame_memory.hpp"
#include "transport/sse/sse_message.hpp"
#include "transport/streamable_http/event_stream_response.hpp"
#include "transport/streamable_http/http_exchange.hpp"
#include "transport/streamable_http/limit_requests.hpp"
#include "transport/streamable_http/long_body.hpp"
#include "transport/streamable_http/reply_response.hpp"
#include "transport/streamable_http/request_id.hpp"
#include "transport/streamable_http/revision_field.hpp"
#include "transport/websocket/websocket_upgrade.hpp"

namespace mcph {
namespace {

using boost::beast::http::verb;

// Of the deprecated transport.
constexpr std::string_view sse_path = "/sse";
constexpr std::string_view messages_path = "/messages";
constexpr std::string_view sse_client_parameter = "sessionId=";

// The fields that belong to no message of MCP.
Arrival arrival_of(const HttpRequest& request) {
  const auto lines = lines_of(request.all_fields, "traceparent");
  return lines.empty() ? Arrival() : Arrival{.trace_parent = std::string(lines.front())};
}

LongMessage long_message(const HttpRequest& request, const HttpConnection& connection) {
  return {envelope_of(request.body), connection.limits().body_bytes, "--max-body-bytes"};
}

HttpChecked check_json(const HttpFields& fields, const HttpHead&) {
  if (!is_json(fields.content_type)) return HttpRefusal{415, "The Content-Type must be application/json"};
  if (!fields.content_encoding) return {};
  // RFC 9110 section 12.5.3.
  return HttpRefusal{
      415, "A message must come without a Content-Encoding, such as gzip", {{"Accept-Encoding", "identity"}}};
}

// What a POST must say of its content and of what it accepts.
HttpChecked check_post(const HttpFields& fields, const HttpHead& head) {
  if (auto checked = check_json(fields, head); checked.has_error()) return checked;
  // As most clients write it.
  if (fields.accept == "application/json, text/event-stream") return {};
  if (accepts(fields.accept, "application/json") && accepts(fields.accept, "text/event-stream")) return {};
  return HttpRefusal{406, "Accept must list both application/json and text/event-stream"};
}

HttpChecked check_stream(const HttpFields& fields, const HttpHead&) {
  if (accepts(fields.accept, "text/event-stream")) return {};
  return HttpRefusal{406, "Accept must list text/event-stream. This is an MCP endpoint: point an MCP client at it"};
}

// Of the endpoint, which has none in the modern era, whatever is accepted.
HttpChecked check_listening(const HttpFields& fields, const HttpHead& head) {
  return McpEndpoint::names_modern_revision(head) ? HttpChecked() : check_stream(fields, head);
}

HttpRefusal refuse_resumption(EventLog::Resumption::Outcome outcome) {
  if (outcome == EventLog::Resumption::Outcome::carried) {
    return {409, "The stream of this Last-Event-ID is open on another connection"};
  }
  // Clients that came back by themselves stop at this status only (2025-11-25, basic/transports, "Listening for
  // Messages from the Server" 3).
  if (outcome == EventLog::Resumption::Outcome::over) {
    return {405,
            "The stream of this Last-Event-ID has ended, and nothing of it was missed: there is no more to hear",
            {{"Allow", "POST, DELETE, OPTIONS, HEAD"}}};
  }
  return {400, "The Last-Event-ID names no stream of this session that is still kept"};
}

}  // namespace

StreamableHttp::StreamableHttp(Server& server, StreamableHttpOptions options)
    : options_(std::move(options)), server_(server), events_(std::make_shared<EventLog>(options_.events)) {}

std::vector<HttpResource> StreamableHttp::resources() {
  std::vector<HttpResource> resources;
  for (const auto& path : options_.paths)
    add_resources(path, resources);
  return resources;
}

void StreamableHttp::add_resources(const std::string& path, std::vector<HttpResource>& resources) {
  resources.push_back({path + std::string(mcp_path),
                       {{verb::get, listen_or_upgrade()},
                        {verb::post, by(&StreamableHttp::answer_post, check_post)},
                        {verb::delete_, by(&StreamableHttp::answer_delete)}},
                       by(&StreamableHttp::refuse_long_post),
                       options_.middleware});
  if (!options_.http_sse) return;
  resources.push_back({path + std::string(sse_path),
                       {{verb::get, by(&StreamableHttp::answer_sse, check_stream)}},
                       by(&StreamableHttp::refuse_long_post),
                       options_.middleware});
  resources.push_back({path + std::string(messages_path),
                       {{verb::post, by(&StreamableHttp::answer_sse_message, check_json)}},
                       by(&StreamableHttp::refuse_long_sse_message),
                       options_.middleware});
}

void StreamableHttp::close_streams_of(const IsGood& is_good) {
  server_.close_streams_of(is_good);
  sse_clients_.end_what_is_of(is_good);
  websocket_clients_.end_what_is_of(is_good);
}

void StreamableHttp::shut_down() {
  sse_clients_.shut_down();
  websocket_clients_.shut_down();
}

void StreamableHttp::tell_refused(const HttpRequest& request, unsigned status) const {
  constexpr unsigned first_refusal = 400;
  if (options_.refused && status >= first_refusal) options_.refused(request, status);
}

Coroutine<> StreamableHttp::refuse(const HttpRequest& request, HttpConnection& connection, HttpRefusal refusal) const {
  tell_refused(request, refusal.status);
  return connection.refuse(std::move(refusal));
}

HttpHandler StreamableHttp::by(Answer answer, Check check) {
  return [this, answer, check](HttpRequest& request, HttpConnection& connection) {
    HttpHead head;
    auto checked = read_head(request, head);
    if (checked.has_value() && check != nullptr) checked = check(request.fields, head);
    if (checked.has_error()) {
      auto refusal = checked.error();
      if (refusal.body.empty())
        refusal.body = error_response(id_of(request), {error_code::invalid_request, refusal.message});
      return refuse(request, connection, std::move(refusal));
    }
    connection.add_to_head(revision_field(endpoint_.revision_of(head)));
    return (this->*answer)(request, connection, std::move(head));
  };
}

HttpHandler StreamableHttp::listen_or_upgrade() {
  auto listen = by(&StreamableHttp::answer_get, check_listening);
  if (!options_.websocket) return listen;
  return [listen = std::move(listen), upgrade = by(&StreamableHttp::answer_websocket)](HttpRequest& request,
                                                                                       HttpConnection& connection) {
    return asks_for_websocket(request, connection.client().version) ? upgrade(request, connection)
                                                                    : listen(request, connection);
  };
}

std::optional<SenderLimits> StreamableHttp::limits_of(const HttpRequest& request) const {
  if (options_.limits == nullptr) return std::nullopt;
  auto limits = options_.limits->get();
  if (!limits->any()) return std::nullopt;
  return SenderLimits(std::move(limits), request.principal, address_key(request.source));
}

Coroutine<> StreamableHttp::answer_post(HttpRequest& request, HttpConnection& connection, HttpHead head) {
  head.others = &request.all_fields;
  const auto limits = limits_of(request);
  head.limits = limits ? &*limits : nullptr;
  EventStreamResponse response(connection, options_.stream_time);
  const auto exchange = std::allocate_shared<HttpExchange>(FrameAllocator<HttpExchange>(), response.reader(),
                                                           connection.budget(), arrival_of(request));
  exchange->hold_places(connection.take_held());
  exchange->hold_memory(connection.take_body_share());
  // Only who keeps records asks for it, and it takes a while to write an address.
  if (options_.refused) exchange->comes_from({request.source.text(), request.body.text().size()});
  const bool modern = McpEndpoint::names_modern_revision(head);
  const bool keeps = head.session_id && !modern;
  if (keeps) response.poll();
  const std::tuple<const HttpRequest&, const HttpHead&, const std::shared_ptr<HttpExchange>&> posted(request, head,
                                                                                                     exchange);
  // Two pointers are what std::function has room for.
  const std::function<void()> receive = [this, &posted] {
    const auto& [its_request, its_head, its_exchange] = posted;
    endpoint_.post(its_request.body.text(), its_head, its_exchange);
  };
  try {
    co_await connection.work_on(request.body.text().size(), receive);
    request.body.drop();

    auto content = co_await response.next(exchange->outbox());
    if (content.reply && content.messages.empty()) {
      connection.begin_holding(content.share, connection.limits().write_time);
      auto responding = respond(request, connection, std::move(*content.reply), exchange->record() != nullptr);
      co_return co_await std::move(responding);
    }
    // Something to say before the result, or nothing for so long that the client should see a sign of life.
    if (!connection.is_disconnected() && keeps) {
      keep_response(response, head, std::shared_ptr<Outbox>(exchange, &exchange->outbox()));
    }
    const bool whole = co_await response.write(exchange->outbox(), std::move(content));
    // A modern client cancels by closing the stream. A legacy client that is gone has not cancelled anything, unless
    // its credential is good no longer: what it called without a session, only its connection knows.
    if (!whole && (modern || connection.is_expelled())) exchange->abandon();
  } catch (const std::bad_alloc&) {
    if (modern) exchange->abandon();  // a subscription would go on for ever
    throw;
  }
}

Coroutine<> StreamableHttp::respond(const HttpRequest& request, HttpConnection& connection, Reply reply,
                                    bool has_record) const {
  const auto scopes = std::move(reply.scopes);
  if (reply.session) connection.add_to_head(revision_field(reply.session->revision));
  auto whole = to_response(std::move(reply));
  if (!has_record) tell_refused(request, whole.status);
  if (!scopes.empty() && options_.challenge)
    whole.fields.emplace_back("WWW-Authenticate", options_.challenge(scopes, request.principal, request.path));
  return connection.respond(std::move(whole));
}

void StreamableHttp::keep_response(EventStreamResponse& response, const HttpHead& head,
                                   std::shared_ptr<Outbox> outbox) {
  const auto session = endpoint_.admit_stream(head).session;
  if (session == nullptr) return response.keep_nothing();
  auto stream = events_->open_response(session->id(), std::move(outbox), head.principal, response.reader());
  const auto id = stream->before_first();
  response.keep(*session, std::move(stream), id);
}

Coroutine<> StreamableHttp::refuse_long_post(HttpRequest& request, HttpConnection& connection, HttpHead head) {
  HttpResponse response;
  // It may answer an input request, and go on with the call that asked.
  const std::function<void()> refuse = [&] {
    response = to_response(endpoint_.refuse_long(long_message(request, connection), head));
  };
  co_await connection.work_on(0, refuse);
  tell_refused(request, response.status);
  co_await connection.respond(std::move(response));
}

Coroutine<> StreamableHttp::answer_get(HttpRequest& request, HttpConnection& connection, HttpHead head) {
  connection.drop_body(request);
  auto admission = endpoint_.admit_stream(head);
  auto session = std::move(admission.session);
  if (session == nullptr) {
    auto refusal = to_response(std::move(admission.reply));
    tell_refused(request, refusal.status);
    co_return co_await connection.respond(std::move(refusal));
  }
  session->caller_as(head.principal);
  EventStreamResponse response(connection, options_.stream_time);
  EventLog::Resumption resumption;
  auto asks = EventLog::Asks::first;
  bool has_room = true;
  // Much may have been missed.
  const std::function<void()> find_place = [&] {
    resumption = head.last_event_id ? resume(*session, head, response.reader(), asks)
                                    : listening(*session, head, response.reader());
    if (resumption.outcome != EventLog::Resumption::Outcome::resumed) return;
    response.keep(*session, resumption.stream, resumption.last);
    has_room = response.append_missed(std::exchange(resumption.missed, {}));
  };
  co_await connection.work_on(0, find_place);
  if (resumption.outcome == EventLog::Resumption::Outcome::carried) {
    // Its client has lost the connection that carries it, and the host has not heard of that.
    co_await response.wait_for(*resumption.stream);
    asks = EventLog::Asks::again;
    co_await connection.work_on(0, find_place);
  }
  if (resumption.outcome != EventLog::Resumption::Outcome::resumed) {
    auto refusing = refuse(request, connection, refuse_resumption(resumption.outcome));
    co_return co_await std::move(refusing);
  }
  if (!has_room) {
    response.let_go();
    auto refusing = refuse(request, connection, connection.no_memory_for("what was missed of this stream"));
    co_return co_await std::move(refusing);
  }
  if (!resumption.stream->listens()) {
    session.reset();
    co_return co_await resume_response(response, std::move(resumption.outbox));
  }
  const auto notifications = std::make_shared<HttpNotificationStream>(response.reader(), connection.budget());
  session->attach(notifications, head.principal);
  session.reset();  // the stream does not keep a session that has been ended
  response.listen(*notifications);
  auto content = response.take(notifications->outbox());
  co_await response.write(notifications->outbox(), std::move(content));
}

EventLog::Resumption StreamableHttp::resume(const Session& session, const HttpHead& head,
                                            const std::shared_ptr<OutboxReader>& reader, EventLog::Asks asks) {
  const auto id = EventId::read(*head.last_event_id);
  if (!id) return {};
  // Another credential of the same principal may give other rights.
  const auto may_hear = [&](const Principal& opener) { return server_.see_the_same(opener, head.principal); };
  auto resumption = events_->resume(session.id(), *id, reader, may_hear, asks);
  // Of listening nothing is lost but what was on the way: the session keeps what nobody hears.
  const bool forgotten = resumption.outcome == EventLog::Resumption::Outcome::unknown;
  return forgotten && id->kind == EventId::Kind::listening ? listening(session, head, reader) : std::move(resumption);
}

EventLog::Resumption StreamableHttp::listening(const Session& session, const HttpHead& head,
                                               const std::shared_ptr<OutboxReader>& reader) {
  auto stream = events_->open_listening(session.id(), head.principal, reader);
  const auto id = stream->before_first();
  return {EventLog::Resumption::Outcome::resumed, std::move(stream), id};
}

Coroutine<> StreamableHttp::resume_response(EventStreamResponse& response, std::shared_ptr<Outbox> outbox) {
  Outbox::Content content;
  if (outbox == nullptr) {
    content.reply = std::make_unique<Reply>();  // everything has been said, and is in the opening
    outbox = std::make_shared<Outbox>(response.reader());
  } else {
    content = response.take(*outbox);
  }
  co_await response.write(*outbox, std::move(content));
}

Coroutine<> StreamableHttp::answer_delete(HttpRequest& request, HttpConnection& connection, HttpHead head) {
  connection.drop_body(request);
  auto reply = endpoint_.end_session(head);
  if (reply.status == ReplyStatus::ended && head.session_id) events_->forget(std::string(*head.session_id));
  auto response = to_response(std::move(reply));
  tell_refused(request, response.status);
  co_await connection.respond(std::move(response));
}

Coroutine<> StreamableHttp::answer_websocket(HttpRequest& request, HttpConnection& connection, HttpHead head) {
  connection.drop_body(request);
  if (const auto checked = check_websocket_upgrade(request); checked.has_error()) {
    auto refusing = refuse(request, connection, checked.error());
    co_return co_await std::move(refusing);
  }
  const auto client = websocket_clients_.open(head.principal, {}, connection.budget());
  if (client == nullptr) {
    auto refusing = refuse(request, connection, unavailable("This server is stopping"));
    co_return co_await std::move(refusing);
  }
  try {
    connection.upgrade(make_websocket(connection, request, websocket_serving(client, request)));
  } catch (const std::bad_alloc&) {
    websocket_clients_.close(*client);
    throw;
  }
}

WebSocketServing StreamableHttp::websocket_serving(const std::shared_ptr<StreamClient>& client,
                                                   const HttpRequest& request) {
  const auto renew = [this](const Principal& principal) {
    return options_.renew ? options_.renew(principal) : principal;
  };
  const auto limits =
      [this, address = address_key(request.source)](const Principal& principal) -> std::optional<SenderLimits> {
    auto current = options_.limits == nullptr ? nullptr : options_.limits->get();
    if (current == nullptr || !current->any()) return std::nullopt;
    return SenderLimits(std::move(current), principal, address);
  };
  return {.client = client,
          .server = server_,
          .renew = renew,
          .limits = limits,
          .source = options_.refused ? request.source.text() : std::string(),
          .close = [this, client] { websocket_clients_.close(*client); }};
}

Coroutine<> StreamableHttp::answer_sse(HttpRequest& request, HttpConnection& connection, HttpHead head) {
  connection.drop_body(request);
  EventStreamResponse response(connection, {});
  const auto client = sse_clients_.open(head.principal, response.reader(), connection.budget());
  if (client == nullptr) {
    auto refusing = refuse(request, connection, unavailable("This server is stopping"));
    co_return co_await std::move(refusing);
  }
  try {
    const auto path = request.path.substr(0, request.path.rfind('/'));
    response.append_endpoint(std::string(path) + std::string(messages_path) + "?" + std::string(sse_client_parameter) +
                             client->id());
    auto& outbox = client->stream().outbox();
    auto content = response.take(outbox);
    co_await response.write(outbox, std::move(content));
  } catch (const std::bad_alloc&) {
    connection.abort();  // as if its client had gone
  }
  const std::function<void()> close = [&] { sse_clients_.close(*client); };
  co_await connection.work_in_turn(0, close);
}

Coroutine<> StreamableHttp::answer_sse_message(HttpRequest& request, HttpConnection& connection, HttpHead head) {
  HttpResponse response;
  auto places = connection.take_held();
  if (auto share = connection.take_body_share()) places.push_back(std::move(share));
  const std::function<void()> take = [&] { response = take_sse_message(request, head, std::move(places)); };
  co_await connection.work_in_turn(request.body.text().size(), take);
  tell_refused(request, response.status);  // what the protocol has seen is answered by the stream
  co_await connection.respond(std::move(response));
}

HttpResponse StreamableHttp::take_sse_message(const HttpRequest& request, const HttpHead& head,
                                              std::vector<std::shared_ptr<const void>> places) {
  if (!request.query.starts_with(sse_client_parameter)) {
    return to_response(HttpRefusal{400, "The sessionId of the endpoint event is missing"});
  }
  const auto client = find_sse_client(request);
  if (client == nullptr)
    return to_response(HttpRefusal{404, "There is no session of this id; its stream may have been closed"});
  const auto limits = limits_of(request);
  const RequestContext context{.principal = head.principal, .limits = limits ? &*limits : nullptr};
  return to_response(post_sse_message(*client, request.body.text(), context, server_, std::move(places),
                                      options_.refused ? request.source.text() : std::string()));
}

Coroutine<> StreamableHttp::refuse_long_sse_message(HttpRequest& request, HttpConnection& connection, HttpHead head) {
  const auto client = find_sse_client(request);
  if (client == nullptr) co_return co_await refuse_long_post(request, connection, std::move(head));
  HttpResponse response;
  const std::function<void()> refuse = [&] {
    response = to_response(client->refuse(long_message(request, connection)));
  };
  co_await connection.work_in_turn(0, refuse);
  tell_refused(request, response.status);
  co_await connection.respond(std::move(response));
}

std::shared_ptr<StreamClient> StreamableHttp::find_sse_client(const HttpRequest& request) const {
  if (!request.query.starts_with(sse_client_parameter)) return nullptr;
  auto client = sse_clients_.find(std::string(request.query.substr(sse_client_parameter.size())), request.principal);
  // As with sessions.
  if (client != nullptr && upstream_for(client->principal()) != upstream_for(request.principal)) return nullptr;
  return client;
}

}  // namespace mcph
