#include "transport/http_connection.hpp"

#include <algorithm>
#include <memory_resource>
#include <tuple>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>

#include "transport/sse.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
constexpr auto as_value = asio::as_tuple(asio::use_awaitable);

constexpr std::size_t read_size = std::size_t{16} * 1024;
constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr auto allowed_methods = "GET, POST, DELETE, OPTIONS, HEAD";
// Most answers come sooner, and watching costs system calls.
constexpr std::chrono::milliseconds unwatched_time{50};
constexpr std::chrono::milliseconds linger_time{1000};

HttpResponse refusal(unsigned status, std::string message) {
  return {.status = status, .body = error_response({}, {error_code::invalid_request, std::move(message)})};
}

std::optional<HttpResponse> refuse_post(const HttpFields& fields) {
  if (!is_json(fields.content_type)) return refusal(415, "The Content-Type must be application/json");
  if (accepts(fields.accept, "application/json") && accepts(fields.accept, "text/event-stream")) return std::nullopt;
  return refusal(406, "Accept must list both application/json and text/event-stream");
}

HttpResponse preflight_response(const RequestFields& fields) {
  return {.status = 204,
          .fields = {{"Allow", allowed_methods},
                     {"Access-Control-Allow-Methods", allowed_methods},
                     {"Access-Control-Allow-Headers",
                      cors_allowed_headers(list_field(fields, "Access-Control-Request-Headers"))},
                     {"Access-Control-Max-Age", "86400"}}};
}

// A request whose answer travels on this connection.
class HttpExchange final : public Exchange {
 public:
  explicit HttpExchange(std::weak_ptr<OutboxReader> reader) : outbox_(std::move(reader)) {}
  Outbox& outbox() { return outbox_; }

 private:
  void send(std::string message) override { outbox_.put(std::move(message)); }
  void send_if_room(std::string message) override { outbox_.put_if_room(std::move(message)); }
  void finish(Reply reply) override { outbox_.end(std::move(reply)); }

  Outbox outbox_;
};

// A legacy GET stream.
class HttpNotificationStream final : public NotificationStream {
 public:
  explicit HttpNotificationStream(std::weak_ptr<OutboxReader> reader) : outbox_(std::move(reader)) {}
  Outbox& outbox() { return outbox_; }

  bool send(std::string message) override { return outbox_.put(std::move(message)); }
  void close() override { outbox_.end({}); }

 private:
  Outbox outbox_;
};

}  // namespace

HttpConnection::HttpConnection(tcp::socket socket, HttpServer& owner)
    : owner_(owner),
      open_(owner.open_),
      limits_(owner.options_.limits),
      socket_(std::move(socket)),
      buffer_(limits_.header_bytes + read_size),
      signal_(socket_.get_executor(), Clock::time_point::max()),
      due_(Clock::time_point::max().time_since_epoch().count()) {}

HttpConnection::~HttpConnection() {
  const std::lock_guard lock(open_->mutex);
  open_->all.erase(this);
}

void HttpConnection::start() {
  asio::co_spawn(socket_.get_executor(), serve(shared_from_this()), asio::detached);
}

void HttpConnection::attend(Clock::time_point now) {
  if (now.time_since_epoch().count() < due_.load(std::memory_order_relaxed)) return;
  asio::post(socket_.get_executor(), [self = shared_from_this(), now] { self->time_is_up(now); });
}

void HttpConnection::shut_down() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->closing_ = true;
    beast::error_code ignored;
    // A request that has not arrived whole is no call in flight.
    const bool reading = self->waiting_ == Waiting::for_request || self->waiting_ == Waiting::for_rest;
    if (reading) self->socket_.cancel(ignored);
  });
}

void HttpConnection::wait_for(Waiting what, std::chrono::milliseconds patience) {
  waiting_ = what;
  timed_out_ = false;
  due_.store((owner_.now() + patience).time_since_epoch().count(), std::memory_order_relaxed);
}

void HttpConnection::time_is_up(Clock::time_point now) {
  if (now.time_since_epoch().count() < due_.load(std::memory_order_relaxed)) return;
  if (waiting_ == Waiting::for_answer && !std::exchange(watched_, true)) {
    watch_for_disconnect();
    return wait_for(Waiting::for_answer, limits_.heartbeat);
  }
  timed_out_ = true;
  beast::error_code ignored;
  if (waiting_ == Waiting::for_answer) {
    signal_.cancel();
  } else {
    socket_.cancel(ignored);
  }
}

HttpConnection::awaitable<void> HttpConnection::serve(std::shared_ptr<HttpConnection> self) {
  while (co_await self->serve_request()) {
  }
  if (self->unread_) co_await self->linger();
  beast::error_code ignored;
  self->socket_.shutdown(tcp::socket::shutdown_both, ignored);
  self->socket_.close(ignored);
}

// Closing with bytes unread would reset the connection, and the client would lose the answer that says why (RFC 9112
// section 9.6).
HttpConnection::awaitable<void> HttpConnection::linger() {
  beast::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  if (watching_) co_await stop_watching();
  wait_for(Waiting::for_bytes, linger_time);
  buffer_.clear();
  while (!timed_out_) {
    const auto [error, count] = co_await socket_.async_read_some(buffer_.prepare(read_size), as_value);
    if (error) co_return;
  }
}

HttpConnection::awaitable<bool> HttpConnection::serve_request() {
  if (closing_) co_return false;
  std::pmr::monotonic_buffer_resource memory(field_memory_.data(), field_memory_.size());
  const std::pmr::polymorphic_allocator<char> allocator(&memory);
  Parser parser(std::piecewise_construct, std::tuple<>(), std::make_tuple(allocator));
  parser.eager(true);
  parser.header_limit(limits_.header_bytes);
  parser.body_limit(limits_.body_bytes);
  const bool read = co_await read_request(parser);
  if (!read) co_return false;
  co_return co_await answer(parser.get());
}

HttpConnection::awaitable<bool> HttpConnection::read_request(Parser& parser) {
  if (watching_) co_await stop_watching();
  if (disconnected_) co_return false;
  bool header_read = false;
  bool begun = buffer_.size() > 0;
  wait_for(begun ? Waiting::for_rest : Waiting::for_request, begun ? limits_.header_time : limits_.idle_time);
  for (;;) {
    if (!parser.got_some()) skip_empty_lines();
    while (buffer_.size() > 0 && !parser.is_done()) {
      beast::error_code error;
      buffer_.consume(parser.put(buffer_.data(), error));
      if (error == http::error::need_more) break;
      if (error) co_return co_await refuse_unreadable(error, begun);
    }
    if (parser.is_header_done() && has_unknown_coding(parser.get())) {
      co_return co_await refuse_coding();
    }
    if (parser.is_done()) co_return true;
    if (buffer_.size() >= limits_.header_bytes) co_return co_await refuse_unreadable(http::error::header_limit, begun);
    if (parser.is_header_done() && !std::exchange(header_read, true)) {
      // An older client does not know the answer (RFC 9110 section 10.1.1).
      const bool asks = parser.get().version() >= 11 && awaits_continue(parser.get());
      if (asks) co_await write(go_on);
      wait_for(Waiting::for_rest, limits_.body_time);
    }

    const auto [error, count] = co_await socket_.async_read_some(buffer_.prepare(read_size), as_value);
    if (error) co_return co_await refuse_unreadable(error, begun);
    buffer_.commit(count);
    if (!std::exchange(begun, true)) wait_for(Waiting::for_rest, limits_.header_time);
  }
}

// Empty lines before a request are left over from the one before (RFC 9112 section 2.2).
void HttpConnection::skip_empty_lines() {
  const auto bytes = buffer_.cdata();
  const std::string_view text(static_cast<const char*>(bytes.data()), bytes.size());
  buffer_.consume(std::min(text.find_first_not_of("\r\n"), text.size()));
}

HttpConnection::awaitable<bool> HttpConnection::refuse_coding() {
  auto response = refusal(501, "The only Transfer-Encoding that this server understands is chunked");
  unread_ = true;
  const HttpClient client{.keep_alive = false};
  co_return co_await respond(client, std::move(response));
}

HttpConnection::awaitable<bool> HttpConnection::refuse_unreadable(beast::error_code error, bool begun) {
  HttpResponse response;
  if (error == http::error::body_limit) {
    response = refusal(413, "The request body is larger than " + std::to_string(limits_.body_bytes) + " bytes");
  } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    response = refusal(431, "The request headers are larger than " + std::to_string(limits_.header_bytes) + " bytes");
  } else if (begun && std::exchange(timed_out_, false)) {
    response = refusal(408, "The request took too long to arrive");
  } else if (begun && error.category() == make_error_code(http::error::bad_method).category()) {
    response = refusal(400, "This is not a valid HTTP/1.1 request: " + error.message());
  } else {
    co_return false;  // the client closed the connection, or was quiet for too long
  }
  unread_ = true;
  const HttpClient client{.keep_alive = false};
  co_return co_await respond(client, std::move(response));
}

std::optional<HttpResponse> HttpConnection::refuse(const Request& request, const HttpFields& fields) const {
  if (!fields.repeated.empty()) {
    return refusal(400, "The header " + std::string(fields.repeated) + " is given more than once");
  }
  const auto& access = owner_.options_.access;
  const std::string_view text(request.target().data(), request.target().size());
  const auto target = read_target(text, fields.host);
  if (!target.host && request.version() >= 11) return refusal(400, "The Host header is missing");
  if (target.host && !host_allowed(access, target.host)) {
    return refusal(403, "The Host header names a host that this server does not serve; allow it with --allow-host");
  }
  if (!origin_allowed(access, fields.origin)) {
    return refusal(403, "The Origin is not allowed; allow it with --allow-origin");
  }
  if (target.path == HttpServer::endpoint) return std::nullopt;
  return HttpResponse{.status = 404,
                      .body = "Not found. The MCP endpoint is " + std::string(HttpServer::endpoint) + "\n",
                      .content_type = "text/plain"};
}

HttpConnection::awaitable<bool> HttpConnection::answer(const Request& request) {
  HttpClient client{.version = request.version(),
                    .keep_alive = request.keep_alive() && !closing_,
                    .head_only = request.method() == http::verb::head,
                    .now = std::time(nullptr)};
  const auto fields = read_fields(request);
  auto refused = refuse(request, fields);
  if (refused) {
    auto response = *std::move(refused);
    co_return co_await respond(client, std::move(response));
  }
  client.origin = fields.origin;
  if (request.method() == http::verb::post) co_return co_await answer_post(request, fields, client);
  if (request.method() == http::verb::get) co_return co_await answer_get(fields, client);
  auto response = answer_at_once(request, fields);
  co_return co_await respond(client, std::move(response));
}

HttpResponse HttpConnection::answer_at_once(const Request& request, const HttpFields& fields) {
  switch (request.method()) {
    case http::verb::delete_:
      return HttpResponse::from(owner_.server_.end_session(fields.head));
    case http::verb::options:
      return preflight_response(request);
    case http::verb::head:
      return {.fields = {{"Allow", allowed_methods}}};
    default: {
      auto response = refusal(405, std::string("The MCP endpoint knows the methods ") + allowed_methods);
      response.fields.emplace_back("Allow", allowed_methods);
      return response;
    }
  }
}

HttpConnection::awaitable<bool> HttpConnection::answer_post(const Request& request, const HttpFields& fields,
                                                            const HttpClient& client) {
  if (auto refused = refuse_post(fields)) {
    auto response = *std::move(refused);
    co_return co_await respond(client, std::move(response));
  }
  const auto exchange = std::make_shared<HttpExchange>(weak_from_this());
  owner_.server_.receive_post(request.body(), fields.head, exchange);

  auto content = co_await next(exchange->outbox());
  if (content.reply && content.messages.empty()) {
    auto response = HttpResponse::from(*std::move(content.reply));
    co_return co_await respond(client, std::move(response));
  }
  // Something to say before the result, or nothing for so long that the client should see a sign of life.
  const bool whole = co_await stream(client, exchange->outbox(), std::move(content));
  // A modern client cancels by closing the stream; a legacy client that is gone has not cancelled anything.
  if (!whole && fields.head.protocol_version == ModernEra::revision) exchange->abandon();
  if (!whole) co_return false;
  co_return client.keep_alive;
}

HttpConnection::awaitable<bool> HttpConnection::answer_get(const HttpFields& fields, const HttpClient& client) {
  if (!accepts(fields.accept, "text/event-stream")) {
    auto response = refusal(406, "Accept must list text/event-stream");
    co_return co_await respond(client, std::move(response));
  }
  auto [session, refused] = owner_.server_.admit_stream(fields.head);
  if (session == nullptr) {
    auto response = HttpResponse::from(std::move(refused));
    if (response.status == 405) response.fields.emplace_back("Allow", "POST, OPTIONS, HEAD");
    co_return co_await respond(client, std::move(response));
  }
  const auto notifications = std::make_shared<HttpNotificationStream>(weak_from_this());
  session->attach(notifications);
  session.reset();  // the stream does not keep a session that has been ended
  auto content = notifications->outbox().take();
  const bool whole = co_await stream(client, notifications->outbox(), std::move(content));
  if (!whole) co_return false;
  co_return client.keep_alive;
}

HttpConnection::awaitable<bool> HttpConnection::respond(HttpClient client, HttpResponse response) {
  // The host may have begun to shut down since the request was read.
  client.keep_alive = client.keep_alive && !closing_;
  client.now = std::time(nullptr);
  const auto text = to_text(client, response);
  const bool written = co_await write(text);
  if (!written) co_return false;
  co_return client.keep_alive;
}

HttpConnection::awaitable<bool> HttpConnection::stream(const HttpClient& client, Outbox& outbox,
                                                       Outbox::Content content) {
  auto text = event_stream_head(client);
  while (!disconnected_) {
    std::string events;
    for (const auto& message : content.messages)
      append_event(events, message);
    if (content.reply && !content.reply->body.empty()) append_event(events, content.reply->body);
    if (content.empty()) events = heartbeat_comment;
    if (!events.empty()) text += event_stream_piece(client, events);
    if (content.reply && client.version >= 11) text += event_stream_end;
    const bool written = co_await write(text);
    if (overflowed_) owner_.log_.warning("stream closed", {{"reason", "the client reads too slowly"}});
    if (!written || overflowed_) co_return false;
    if (content.reply) co_return client.version >= 11;
    text.clear();
    content = co_await next(outbox);
  }
  co_return false;
}

HttpConnection::awaitable<bool> HttpConnection::write(std::string_view text) {
  // Each step has its time, so that a long answer to a slow reader may take long, and one to nobody may not.
  while (!text.empty() && !overflowed_) {
    wait_for(Waiting::for_bytes, limits_.write_time);
    const auto buffer = asio::buffer(text);
    const auto [error, count] = co_await socket_.async_write_some(buffer, as_value);
    if (error) co_return false;
    text.remove_prefix(count);
  }
  co_return text.empty();
}

HttpConnection::awaitable<Outbox::Content> HttpConnection::next(Outbox& outbox) {
  wait_for(Waiting::for_answer, watching_ ? limits_.heartbeat : std::min(unwatched_time, limits_.heartbeat));
  watched_ = watching_;
  for (;;) {
    auto content = outbox.take();
    if (!content.empty() || disconnected_ || std::exchange(timed_out_, false)) co_return content;
    co_await signal_.async_wait(as_value);
  }
}

void HttpConnection::outbox_filled() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->signal_.cancel(); });
}

void HttpConnection::outbox_overflowed() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->overflowed_ = true;
    // Cancelling would miss a write between two of its steps; this fails the next step too.
    beast::error_code ignored;
    self->socket_.shutdown(tcp::socket::shutdown_both, ignored);
  });
}

void HttpConnection::watch_for_disconnect() {
  const auto room = buffer_.max_size() - buffer_.size();
  if (watching_ || room == 0) return;
  watching_ = true;
  // What comes meanwhile is the next request, and is kept for it.
  const auto space = buffer_.prepare(std::min(room, read_size));
  socket_.async_read_some(space, [self = shared_from_this()](beast::error_code error, std::size_t count) {
    self->watching_ = false;
    self->buffer_.commit(count);
    if (!error) return self->watch_for_disconnect();
    self->disconnected_ = error != asio::error::operation_aborted;
    self->signal_.cancel();
  });
}

HttpConnection::awaitable<void> HttpConnection::stop_watching() {
  beast::error_code ignored;
  while (watching_) {
    socket_.cancel(ignored);
    co_await signal_.async_wait(as_value);
  }
}

}  // namespace mcph
