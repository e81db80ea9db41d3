// A server of MCP over HTTP: the streamable HTTP transport, WebSocket at the same endpoint, and where it is asked for
// the deprecated HTTP+SSE transport of 2024-11-05. Answers the requests that an HTTP server has read, and keeps what
// connections share. Owned beside its server of MCP; any thread. One function a step of each kind of request.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/connection.hpp"
#include "http/router.hpp"
#include "protocol/server/server.hpp"
#include "runtime/coroutine.hpp"
#include "transport/stream_clients.hpp"
#include "transport/streamable_http/event_log.hpp"
#include "transport/streamable_http/mcp_endpoint.hpp"
#include "transport/streamable_http/options.hpp"
#include "transport/streamable_http/request_head.hpp"
#include "transport/websocket/websocket_connection.hpp"

namespace mcph {

class EventStreamResponse;

class StreamableHttp {
 public:
  // The server outlives it.
  StreamableHttp(Server& server, StreamableHttpOptions options);

  // What it serves. It outlives them.
  std::vector<HttpResource> resources();

  // To be called several times a second.
  void attend() { events_->forget_unused(); }
  // No request should keep its connection for longer than its answer takes.
  void shut_down();
  // Ends the subscriptions and streams of those whose credentials are good no longer, as the protocol prescribes, and
  // what they have in flight.
  void close_streams_of(const IsGood& is_good);

 private:
  using Check = HttpChecked (*)(const HttpFields& fields, const HttpHead& head);
  using Answer = Coroutine<> (StreamableHttp::*)(HttpRequest& request, HttpConnection& connection, HttpHead head);

  // Answers by a member function what the check, if there is one, lets pass.
  HttpHandler by(Answer answer, Check check = nullptr);
  Coroutine<> answer_post(HttpRequest& request, HttpConnection& connection, HttpHead head);
  Coroutine<> answer_get(HttpRequest& request, HttpConnection& connection, HttpHead head);
  Coroutine<> answer_delete(HttpRequest& request, HttpConnection& connection, HttpHead head);
  Coroutine<> refuse_long_post(HttpRequest& request, HttpConnection& connection, HttpHead head);
  Coroutine<> answer_websocket(HttpRequest& request, HttpConnection& connection, HttpHead head);
  Coroutine<> answer_sse(HttpRequest& request, HttpConnection& connection, HttpHead head);
  Coroutine<> answer_sse_message(HttpRequest& request, HttpConnection& connection, HttpHead head);
  Coroutine<> refuse_long_sse_message(HttpRequest& request, HttpConnection& connection, HttpHead head);

  // The reply as the whole response. No coroutine itself: the frame of a stream need not hold a place for it.
  Coroutine<> respond(const HttpRequest& request, HttpConnection& connection, Reply reply, bool has_record) const;
  // The response to this request can be had again by a client that comes back.
  void keep_response(EventStreamResponse& response, const HttpHead& head, std::shared_ptr<Outbox> outbox);
  // After the Last-Event-ID of the head.
  EventLog::Resumption resume(const Session& session, const HttpHead& head, const std::shared_ptr<OutboxReader>& reader,
                              EventLog::Asks asks);
  EventLog::Resumption listening(const Session& session, const HttpHead& head,
                                 const std::shared_ptr<OutboxReader>& reader);
  // A stream whose answer is still to come, or has come while nobody listened.
  Coroutine<> resume_response(EventStreamResponse& response, std::shared_ptr<Outbox> outbox);

  // A request that comes to nothing before the protocol sees it.
  void tell_refused(const HttpRequest& request, unsigned status) const;
  Coroutine<> refuse(const HttpRequest& request, HttpConnection& connection, HttpRefusal refusal) const;

  WebSocketServing websocket_serving(const std::shared_ptr<StreamClient>& client, const HttpRequest& request);
  // A GET begins either.
  HttpHandler listen_or_upgrade();
  void add_resources(const std::string& path, std::vector<HttpResource>& resources);
  // Those of who sends it. Nothing: there are none.
  std::optional<SenderLimits> limits_of(const HttpRequest& request) const;
  HttpResponse take_sse_message(const HttpRequest& request, const HttpHead& head,
                                std::vector<std::shared_ptr<const void>> places);
  // Null if the request names none of its principal's.
  std::shared_ptr<StreamClient> find_sse_client(const HttpRequest& request) const;

  const StreamableHttpOptions options_;
  Server& server_;
  McpEndpoint endpoint_{server_, options_.sessions_optional};
  const std::shared_ptr<EventLog> events_;
  StreamClients sse_clients_{StreamClient::Eras::legacy};
  StreamClients websocket_clients_{StreamClient::Eras::both};
};

}  // namespace mcph
