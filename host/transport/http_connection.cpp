#include "transport/http_connection.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>

#include "transport/sse.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
constexpr auto as_value = asio::as_tuple(asio::use_awaitable);

constexpr std::size_t read_size = 16 * 1024;
constexpr auto allowed_methods = "GET, POST, DELETE, OPTIONS, HEAD";
constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr auto exposed_headers = "Mcp-Session-Id, MCP-Protocol-Version, X-Session-Expires-At";

std::optional<std::string_view> header(const http::fields& fields, std::string_view name) {
  const auto found = fields.find(beast::string_view(name.data(), name.size()));
  if (found == fields.end()) return std::nullopt;
  return std::string_view(found->value().data(), found->value().size());
}

HttpHead head_of(const http::fields& fields) {
  return {.protocol_version = header(fields, "MCP-Protocol-Version"),
          .method = header(fields, "Mcp-Method"),
          .name = header(fields, "Mcp-Name"),
          .session_id = header(fields, "Mcp-Session-Id")};
}

std::string refusal(std::string message) {
  return error_response({}, {error_code::invalid_request, std::move(message)});
}

// A request whose answer travels on this connection.
class HttpExchange final : public Exchange {
 public:
  explicit HttpExchange(std::function<void()> wake) : outbox_(std::move(wake)) {}
  Outbox& outbox() { return outbox_; }

 private:
  void send(std::string message) override { outbox_.put(std::move(message)); }
  void finish(Reply reply) override { outbox_.end(std::move(reply)); }

  Outbox outbox_;
};

// A legacy GET stream.
class HttpNotificationStream final : public NotificationStream {
 public:
  explicit HttpNotificationStream(std::function<void()> wake) : outbox_(std::move(wake)) {}
  Outbox& outbox() { return outbox_; }

  bool send(std::string message) override { return outbox_.put(std::move(message)); }
  void close() override { outbox_.end({}); }

 private:
  Outbox outbox_;
};

}  // namespace

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, HttpServer& owner)
    : owner_(owner),
      limits_(owner.options_.limits),
      stream_(std::move(socket)),
      buffer_(limits_.header_bytes + read_size),
      signal_(stream_.get_executor()) {}

void HttpConnection::start() {
  asio::co_spawn(stream_.get_executor(), serve(shared_from_this()), asio::detached);
}

void HttpConnection::shut_down() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    self->closing_ = true;
    if (self->between_requests_) self->stream_.cancel();
  });
}

HttpConnection::awaitable<void> HttpConnection::serve(std::shared_ptr<HttpConnection> self) {
  while (co_await self->serve_request()) {
  }
  self->stop_watching();
  beast::error_code ignored;
  self->stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  self->stream_.close();
  self->owner_.closed(self.get());
}

HttpConnection::awaitable<bool> HttpConnection::serve_request() {
  if (closing_) co_return false;
  Parser parser;
  parser.eager(true);
  parser.header_limit(limits_.header_bytes);
  parser.body_limit(limits_.body_bytes);
  if (!co_await read_request(parser)) co_return false;
  co_return co_await answer(parser.get());
}

HttpConnection::awaitable<bool> HttpConnection::read_request(Parser& parser) {
  stop_watching();
  bool header_read = false;
  stream_.expires_after(limits_.idle_time);
  if (buffer_.size() > 0) stream_.expires_after(limits_.header_time);
  for (;;) {
    while (buffer_.size() > 0 && !parser.is_done()) {
      beast::error_code error;
      buffer_.consume(parser.put(buffer_.data(), error));
      if (error == http::error::need_more) break;
      if (error) co_return co_await refuse_unreadable(error, true);
    }
    if (parser.is_done()) co_return true;
    if (parser.is_header_done() && !header_read) {
      header_read = true;
      stream_.expires_after(limits_.body_time);
      if (header(parser.get(), "Expect")) co_await asio::async_write(stream_, asio::buffer(go_on), as_value);
    }
    if (buffer_.size() >= limits_.header_bytes) co_return co_await refuse_unreadable(http::error::header_limit, true);

    const bool begun = parser.got_some() || buffer_.size() > 0;
    between_requests_ = !begun;
    const auto [error, count] = co_await stream_.async_read_some(buffer_.prepare(read_size), as_value);
    between_requests_ = false;
    if (error) co_return co_await refuse_unreadable(error, begun);
    buffer_.commit(count);
    if (!begun) stream_.expires_after(limits_.header_time);
  }
}

HttpConnection::awaitable<bool> HttpConnection::refuse_unreadable(beast::error_code error, bool begun) {
  Response response;
  if (error == beast::error::timeout && begun) {
    response = {408, refusal("The request took too long to arrive")};
  } else if (error == http::error::body_limit) {
    response = {413, refusal("The request body is larger than " + std::to_string(limits_.body_bytes) + " bytes")};
  } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    response = {431, refusal("The request headers are larger than " + std::to_string(limits_.header_bytes) + " bytes")};
  } else if (begun && error.category() == http::make_error_code(http::error::bad_method).category()) {
    response = {400, refusal("This is not a valid HTTP/1.1 request: " + error.message())};
  } else {
    co_return false;  // the client closed the connection, or was quiet for too long
  }
  const Client client{.keep_alive = false};
  co_return co_await write(client, std::move(response));
}

std::optional<HttpConnection::Response> HttpConnection::refuse(const Request& request) const {
  const auto& access = owner_.options_.access;
  if (!host_allowed(access, header(request, "Host"))) {
    return Response{
        403, refusal("The Host header names a host that this server does not serve; allow it with --allow-host")};
  }
  if (!origin_allowed(access, header(request, "Origin"))) {
    return Response{403, refusal("The Origin is not allowed; allow it with --allow-origin")};
  }
  const std::string_view target(request.target().data(), request.target().size());
  if (target.substr(0, target.find('?')) != HttpServer::endpoint) {
    return Response{404, "Not found. The MCP endpoint is " + std::string(HttpServer::endpoint) + "\n", "text/plain"};
  }
  return std::nullopt;
}

HttpConnection::awaitable<bool> HttpConnection::answer(const Request& request) {
  Client client{.http_version = request.version(),
                .keep_alive = request.keep_alive() && !closing_,
                .head_only = request.method() == http::verb::head};
  if (auto refused = refuse(request)) {
    auto response = *std::move(refused);
    co_return co_await write(client, std::move(response));
  }
  if (const auto origin = header(request, "Origin")) client.origin = *origin;

  switch (request.method()) {
    case http::verb::post:
      co_return co_await answer_post(request, client);
    case http::verb::get:
      co_return co_await answer_get(request, client);
    default: {
      auto response = answer_at_once(request);
      co_return co_await write(client, std::move(response));
    }
  }
}

HttpConnection::Response HttpConnection::answer_at_once(const Request& request) {
  switch (request.method()) {
    case http::verb::delete_:
      return as_response(owner_.server_.end_session(head_of(request)));
    case http::verb::options:
      return preflight_response(request);
    case http::verb::head:
      return {.fields = {{"Allow", allowed_methods}}};
    default:
      return {.status = 405,
              .body = refusal("The MCP endpoint knows the methods " + std::string(allowed_methods)),
              .fields = {{"Allow", allowed_methods}}};
  }
}

HttpConnection::Response HttpConnection::as_response(Reply reply) {
  return {.status = reply.status, .body = std::move(reply.body), .fields = std::move(reply.fields)};
}

HttpConnection::Response HttpConnection::preflight_response(const Request& request) {
  return {.status = 204,
          .fields = {
              {"Allow", allowed_methods},
              {"Access-Control-Allow-Methods", allowed_methods},
              {"Access-Control-Allow-Headers", cors_allowed_headers(header(request, "Access-Control-Request-Headers"))},
              {"Access-Control-Max-Age", "86400"}}};
}

std::optional<HttpConnection::Response> HttpConnection::refuse_post(const Request& request) {
  if (!is_json(header(request, "Content-Type"))) {
    return Response{.status = 415, .body = refusal("The Content-Type must be application/json")};
  }
  const auto accept = header(request, "Accept");
  if (!accepts(accept, "application/json") || !accepts(accept, "text/event-stream")) {
    return Response{.status = 406, .body = refusal("Accept must list both application/json and text/event-stream")};
  }
  return std::nullopt;
}

HttpConnection::awaitable<bool> HttpConnection::answer_post(const Request& request, const Client& client) {
  if (auto refused = refuse_post(request)) {
    auto response = *std::move(refused);
    co_return co_await write(client, std::move(response));
  }

  const auto head = head_of(request);
  const auto exchange = std::make_shared<HttpExchange>(waker());
  owner_.server_.receive_post(request.body(), head, exchange);

  auto content = co_await next(exchange->outbox(), limits_.heartbeat);
  if (content.reply && content.messages.empty()) {
    auto response = as_response(*std::move(content.reply));
    co_return co_await write(client, std::move(response));
  }
  // Something to say before the result, or nothing for so long that the client should see a sign of life.
  bool whole = !disconnected_;
  if (whole) whole = co_await open_stream(client);
  if (whole) whole = co_await stream(client, exchange->outbox(), std::move(content));
  // A modern client cancels by closing the stream; a legacy client that is gone has not cancelled anything.
  if (!whole && head.protocol_version == ModernEra::revision) exchange->abandon();
  co_return whole&& co_await close_stream(client);
}

HttpConnection::awaitable<bool> HttpConnection::answer_get(const Request& request, const Client& client) {
  if (!accepts(header(request, "Accept"), "text/event-stream")) {
    Response response{.status = 406, .body = refusal("Accept must list text/event-stream")};
    co_return co_await write(client, std::move(response));
  }
  auto [session, refused] = owner_.server_.admit_stream(head_of(request));
  if (session == nullptr) {
    auto response = as_response(std::move(refused));
    if (response.status == 405) response.fields.emplace_back("Allow", "POST, OPTIONS, HEAD");
    co_return co_await write(client, std::move(response));
  }
  const auto notifications = std::make_shared<HttpNotificationStream>(waker());
  if (!co_await open_stream(client)) co_return false;
  session->attach(notifications);
  session.reset();  // the stream does not keep a session that has been ended
  Outbox::Content nothing_yet;
  const bool whole = co_await stream(client, notifications->outbox(), std::move(nothing_yet));
  co_return whole&& co_await close_stream(client);
}

HttpConnection::awaitable<bool> HttpConnection::write(const Client& client, Response response) {
  http::response<http::string_body> message(static_cast<http::status>(response.status), client.http_version);
  message.keep_alive(client.keep_alive);
  if (client.origin) {
    message.set("Access-Control-Allow-Origin", *client.origin);
    message.set("Access-Control-Expose-Headers", exposed_headers);
    message.set("Vary", "Origin");
  }
  for (const auto& [name, value] : response.fields)
    message.set(name, value);
  if (!response.body.empty()) message.set(http::field::content_type, response.content_type);
  message.body() = std::move(response.body);
  if (response.status != 204) message.prepare_payload();
  if (client.head_only) message.body().clear();

  stream_.expires_after(limits_.write_time);
  const auto [error, count] = co_await http::async_write(stream_, message, as_value);
  co_return !error && client.keep_alive;
}

HttpConnection::awaitable<bool> HttpConnection::open_stream(const Client& client) {
  http::response<http::empty_body> message(http::status::ok, client.http_version);
  message.set(http::field::content_type, "text/event-stream");
  message.set(http::field::cache_control, "no-cache, no-transform");
  message.set("X-Accel-Buffering", "no");
  if (client.origin) {
    message.set("Access-Control-Allow-Origin", *client.origin);
    message.set("Access-Control-Expose-Headers", exposed_headers);
    message.set("Vary", "Origin");
  }
  const bool chunked = client.http_version >= 11;
  message.keep_alive(client.keep_alive && chunked);
  message.chunked(chunked);
  http::response_serializer<http::empty_body> serializer(message);
  stream_.expires_after(limits_.write_time);
  const auto [error, count] = co_await http::async_write_header(stream_, serializer, as_value);
  co_return !error;
}

HttpConnection::awaitable<bool> HttpConnection::write_stream(const Client& client, std::string_view text) {
  stream_.expires_after(limits_.write_time);
  const auto body = asio::const_buffer(text.data(), text.size());
  if (client.http_version >= 11) {
    const auto chunk = http::make_chunk(body);
    const auto [error, count] = co_await asio::async_write(stream_, chunk, as_value);
    co_return !error;
  }
  const auto [error, count] = co_await asio::async_write(stream_, body, as_value);
  co_return !error;
}

HttpConnection::awaitable<bool> HttpConnection::close_stream(const Client& client) {
  if (client.http_version < 11) co_return false;
  stream_.expires_after(limits_.write_time);
  const auto last = http::make_chunk_last();
  const auto [error, count] = co_await asio::async_write(stream_, last, as_value);
  co_return !error && client.keep_alive && !closing_;
}

HttpConnection::awaitable<bool> HttpConnection::stream(const Client& client, Outbox& outbox, Outbox::Content content) {
  for (;;) {
    std::string text;
    for (const auto& message : content.messages)
      append_event(text, message);
    if (content.reply && !content.reply->body.empty()) append_event(text, content.reply->body);
    if (content.empty()) text = heartbeat_comment;  // also tells a legacy client at once that its stream is open
    if (!text.empty() && !co_await write_stream(client, text)) co_return false;
    if (content.overflowed) {
      owner_.log_.warning("stream closed", {{"reason", "the client reads too slowly"}});
      co_return false;
    }
    if (content.reply) co_return true;
    content = co_await next(outbox, limits_.heartbeat);
    if (disconnected_) co_return false;
  }
}

HttpConnection::awaitable<Outbox::Content> HttpConnection::next(Outbox& outbox, std::chrono::milliseconds patience) {
  signal_.expires_after(patience);
  for (;;) {
    auto content = outbox.take();
    if (!content.empty() || disconnected_) co_return content;
    watch_for_disconnect();
    const auto [woken] = co_await signal_.async_wait(as_value);
    if (!woken) co_return content;
  }
}

std::function<void()> HttpConnection::waker() {
  return [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    const auto strand = self->stream_.get_executor();
    asio::post(strand, [self] { self->signal_.cancel(); });
  };
}

void HttpConnection::watch_for_disconnect() {
  // Bytes that are there already are the next request, behind which a close cannot be seen.
  if (watching_ || buffer_.size() > 0) return;
  watching_ = true;
  stream_.socket().async_wait(asio::ip::tcp::socket::wait_read, [self = shared_from_this()](beast::error_code error) {
    self->watching_ = false;
    if (error) return;
    char byte = 0;
    self->stream_.socket().receive(asio::buffer(&byte, 1), asio::ip::tcp::socket::message_peek, error);
    if (!error) return;
    self->disconnected_ = true;
    self->signal_.cancel();
  });
}

void HttpConnection::stop_watching() {
  if (!watching_) return;
  beast::error_code ignored;
  stream_.socket().cancel(ignored);
}

}  // namespace mcph
