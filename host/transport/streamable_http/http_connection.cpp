#include "transport/streamable_http/http_connection.hpp"

#include <algorithm>
#include <functional>
#include <memory_resource>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "runtime/as_value.hpp"
#include "transport/streamable_http/http_exchange.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::size_t read_size = std::size_t{16} * 1024;
constexpr std::string_view sse_client_parameter = "sessionId=";
constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
// Most answers come sooner, and watching costs system calls.
constexpr std::chrono::milliseconds unwatched_time{50};
constexpr std::chrono::milliseconds linger_time{1000};
// For the id of a request whose body is too long, from the last bytes on that have come.
constexpr std::chrono::milliseconds id_time{2000};
// For memory that others have, and between two looks whether they have given it back.
constexpr std::chrono::milliseconds room_time{5000};
constexpr std::chrono::milliseconds room_pause{50};
// For a body that has begun to take memory which others need: less than they wait for it.
constexpr std::chrono::milliseconds unfinished_body_time{2000};
// A message of as many bytes takes a millisecond or two to read at worst.
// Written at once, so that other connections of the lane have their turn in between; and copied to stand behind its
// head, because one write costs less than two.
constexpr std::size_t max_write = std::size_t{256} << 10;
constexpr std::size_t max_copied_body = std::size_t{64} << 10;

}  // namespace

HttpConnection::HttpConnection(tcp::socket socket, HttpServer& owner)
    : owner_(owner),
      open_(owner.open_),
      events_(owner.events_),
      budget_(owner.budget_),
      limits_(owner.options_.limits),
      socket_(std::move(socket)),
      buffer_(limits_.header_bytes + read_size),
      signal_(socket_.get_executor(), Clock::time_point::max()),
      due_(never),
      yields_at_(never) {}

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

HttpConnection::Clock::time_point HttpConnection::yields_at() const {
  return Clock::time_point(Clock::duration(yields_at_.load(std::memory_order_relaxed)));
}

void HttpConnection::begin_holding(const MemoryBudget::Share& share, std::chrono::milliseconds patience) {
  if (share.is_empty()) return;
  yields_at_.store((owner_.now() + patience).time_since_epoch().count(), std::memory_order_relaxed);
}

void HttpConnection::end_holding() {
  yields_at_.store(never, std::memory_order_relaxed);
}

void HttpConnection::give_way(Clock::time_point yields_at) {
  asio::post(socket_.get_executor(), [self = shared_from_this(), yields_at] {
    if (self->yields_at() != yields_at) return;
    if (self->waiting_ == Waiting::for_bytes) {
      return self->cut_off("connection closed",
                           "its client is slow to read a large answer, and others need the memory");
    }
    if (self->waiting_ == Waiting::for_rest) {
      self->warn("connection closed", "its client is slow to send a large request, and others need the memory");
    }
    self->gives_way_ = true;
    self->stop_waiting();
  });
}

void HttpConnection::cut_off(std::string_view closed, std::string_view reason) {
  if (std::exchange(cut_off_, true)) return;
  warn(closed, reason);
  // Cancelling would miss a write between two of its steps; this fails the next step too.
  beast::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_both, ignored);
}

void HttpConnection::warn(std::string_view closed, std::string_view reason) const {
  owner_.log_.warning(closed, {{"reason", reason}, {"limit", budget_->limit()}});
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
    return wait_for(Waiting::for_answer, rest_of_patience_);
  }
  stop_waiting();
}

void HttpConnection::stop_waiting() {
  timed_out_ = true;
  beast::error_code ignored;
  if (waiting_ == Waiting::for_answer || waiting_ == Waiting::for_room) {
    signal_.cancel();
  } else {
    socket_.cancel(ignored);
  }
}

HttpConnection::awaitable<void> HttpConnection::serve(std::shared_ptr<HttpConnection> self) {
  while (co_await self->serve_request()) {
  }
  if (self->lingers_) co_await self->linger();
  beast::error_code ignored;
  self->socket_.shutdown(tcp::socket::shutdown_both, ignored);
  self->socket_.close(ignored);
}

// Closing while the client may still be sending would reset the connection, and it could lose the last answer (RFC 9112
// section 9.6).
HttpConnection::awaitable<void> HttpConnection::linger() {
  beast::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  if (watching_ != Watching::off) co_await stop_watching();
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
  HttpRequestReader reader(limits_, memory);
  const bool read = co_await read_request(reader);
  end_holding();
  if (!read) co_return false;
  const bool goes_on = co_await answer(reader);
  body_share_ = {};
  co_return goes_on;
}

HttpConnection::awaitable<bool> HttpConnection::read_request(HttpRequestReader& reader) {
  if (watching_ != Watching::off) co_await stop_watching();
  if (disconnected_) co_return false;
  bool header_read = false;
  Clock::time_point body_due = Clock::time_point::max();
  bool begun = buffer_.size() > 0;
  wait_for(begun ? Waiting::for_rest : Waiting::for_request, begun ? limits_.header_time : limits_.idle_time);
  for (;;) {
    auto refused = reader.take(buffer_);
    if (refused) {
      auto response = *std::move(refused);
      co_return co_await refuse_unread(std::move(response));
    }
    if (reader.is_complete()) co_return true;
    if (reader.has_header() && !std::exchange(header_read, true)) {
      // An older client does not know the answer (RFC 9110 section 10.1.1).
      const bool asks = reader.request().version() >= 11 && awaits_continue(reader.request());
      if (asks) co_await write(go_on);
      body_due = owner_.now() + limits_.body_time;
      wait_for(Waiting::for_rest, limits_.body_time);
    }
    // Only its id is missing, which most messages have at their beginning.
    if (reader.request().body().is_too_long()) {
      end_holding();
      body_share_ = {};
      const auto rest = std::chrono::ceil<std::chrono::milliseconds>(body_due - owner_.now());
      wait_for(Waiting::for_rest, std::min(rest, id_time));
    }
    if (reader.has_header() && !body_share_.grow(budget_, reader.body_memory())) {
      const bool has_room = co_await has_room_for(reader);
      if (!has_room) {
        auto response = memory_refusal("this request");
        co_return co_await refuse_unread(std::move(response));
      }
      body_due = owner_.now() + limits_.body_time;
      wait_for(Waiting::for_rest, limits_.body_time);
    }
    if (yields_at() == Clock::time_point::max()) begin_holding(body_share_, unfinished_body_time);

    // Where the read had just ended when it was to be cancelled, no other one begins.
    if (closing_) co_return false;
    const auto [error, count] = co_await socket_.async_read_some(buffer_.prepare(read_size), as_value);
    if (gives_way_) {
      auto response = memory_refusal("this request");
      co_return co_await refuse_unread(std::move(response));
    }
    if (error && begun && std::exchange(timed_out_, false)) {
      // What is too long is refused for that, whatever it is.
      if (reader.request().body().is_too_long()) co_return true;
      auto response = refusal(408, "The request took too long to arrive");
      co_return co_await refuse_unread(std::move(response));
    }
    if (error) co_return false;  // the client closed the connection, or was quiet for too long
    buffer_.commit(count);
    if (!std::exchange(begun, true)) wait_for(Waiting::for_rest, limits_.header_time);
  }
}

// Those who have a share themselves give up one after the other, so that it helps the others among them.
HttpConnection::awaitable<bool> HttpConnection::has_room_for(const HttpRequestReader& reader) {
  end_holding();
  begin_holding(body_share_, room_time);
  const auto patience = body_share_.is_empty() ? room_time : limits_.body_time;
  bool has_room = false;
  for (auto waited = room_pause; !has_room && waited <= patience && !closing_; waited += room_pause) {
    wait_for(Waiting::for_room, room_pause);
    while (!timed_out_)
      co_await signal_.async_wait(as_value);
    if (gives_way_) break;
    has_room = body_share_.grow(budget_, reader.body_memory());
  }
  end_holding();
  co_return has_room;
}

HttpResponse HttpConnection::memory_refusal(std::string_view what) const {
  return unavailable("The server has no memory left for " + std::string(what) +
                     ", because large requests and answers of others take all of its " +
                     std::to_string(budget_->limit()) + " bytes; try again later, or raise --max-buffered-bytes");
}

HttpConnection::awaitable<bool> HttpConnection::refuse_unread(HttpResponse response) {
  end_holding();
  const HttpClient client{.keep_alive = false};
  co_return co_await respond(client, std::move(response));
}

HttpConnection::awaitable<bool> HttpConnection::answer(HttpRequestReader& reader) {
  const auto& request = reader.request();
  const auto fields = read_fields(request);
  HttpClient client{.version = request.version(),
                    .keep_alive = keeps_alive(request.version(), fields.connection) && !closing_ && reader.is_whole(),
                    .head_only = request.method() == http::verb::head,
                    .now = std::time(nullptr)};
  HttpRoute route;
  auto refused = admit(owner_.options_, request, fields, route);
  if (refused) {
    auto response = *std::move(refused);
    co_return co_await respond(client, std::move(response));
  }
  client.origin = fields.origin;
  if (request.body().is_too_long()) {
    HttpResponse response;
    const std::function<void()> refuse = [&] { response = refuse_long(request, fields, route); };
    co_await work_on(0, refuse);  // it may wait for another message of its client
    co_return co_await respond(client, std::move(response));
  }
  const bool posted = request.method() == http::verb::post;
  const bool got = request.method() == http::verb::get;
  if (!posted) drop_body(reader);
  if (posted && route.endpoint == HttpRoute::Endpoint::mcp) co_return co_await answer_post(reader, fields, client);
  if (got && route.endpoint == HttpRoute::Endpoint::mcp) co_return co_await answer_get(fields, client);
  if (got && route.endpoint == HttpRoute::Endpoint::sse) co_return co_await answer_sse(fields, client);
  HttpResponse response;
  if (posted && route.endpoint == HttpRoute::Endpoint::messages) {
    const std::function<void()> take = [&] { response = take_message(request, fields, route.query); };
    co_await work_on(request.body().text().size(), take);
  } else if (request.method() == http::verb::delete_ && route.endpoint == HttpRoute::Endpoint::mcp) {
    response = end_session(fields);
  } else {
    response = answer_method(request, route.endpoint);
  }
  co_return co_await respond(client, std::move(response));
}

void HttpConnection::drop_body(HttpRequestReader& reader) {
  reader.drop_body();
  body_share_ = {};
}

HttpResponse HttpConnection::refuse_long(const HttpRequest& request, const HttpFields& fields, const HttpRoute& route) {
  const LongMessage message{request.body().envelope(), limits_.body_bytes, "--max-body-bytes"};
  const auto client =
      route.endpoint == HttpRoute::Endpoint::messages ? sse_client(route.query, fields.head.principal) : nullptr;
  if (client != nullptr) return HttpResponse::from(client->refuse(message));
  return HttpResponse::from(owner_.endpoint_.refuse_long(message, fields.head));
}

HttpResponse HttpConnection::end_session(const HttpFields& fields) {
  auto reply = owner_.endpoint_.end_session(fields.head);
  if (reply.status == ReplyStatus::ended && fields.head.session_id)
    events_->forget(std::string(*fields.head.session_id));
  return HttpResponse::from(std::move(reply));
}

HttpConnection::awaitable<bool> HttpConnection::answer_post(HttpRequestReader& reader, const HttpFields& fields,
                                                            const HttpClient& client) {
  const auto& request = reader.request();
  if (auto refused = refuse_post(fields)) {
    auto response = *std::move(refused);
    co_return co_await respond(client, std::move(response));
  }
  const auto exchange = std::make_shared<HttpExchange>(weak_from_this(), budget_);
  const RequestHeaderFields all_fields(request);
  auto head = fields.head;
  head.others = &all_fields;
  const bool modern = McpEndpoint::names_modern_revision(head);
  const bool polled = owner_.options_.stream_time.count() > 0 && head.session_id && !modern;
  EventStreamPlan plan;
  if (polled) plan.until = owner_.now() + owner_.options_.stream_time;
  const std::function<void()> receive = [&] { owner_.endpoint_.post(request.body().text(), head, exchange); };
  co_await work_on(request.body().text().size(), receive);
  reader.drop_body();

  auto content = co_await next(exchange->outbox(), plan.until);
  if (content.reply && content.messages.empty()) {
    begin_holding(content.share, limits_.write_time);
    auto response = HttpResponse::from(*std::move(content.reply));
    co_return co_await respond(client, std::move(response));
  }
  // Something to say before the result, or nothing for so long that the client should see a sign of life.
  if (!disconnected_ && !modern && head.session_id) {
    keep_response(plan, head, std::shared_ptr<Outbox>(exchange, &exchange->outbox()));
  }
  const bool whole = co_await stream(client, exchange->outbox(), std::move(content), plan);
  let_go(plan);
  // A modern client cancels by closing the stream; a legacy client that is gone has not cancelled anything.
  if (!whole && modern) exchange->abandon();
  if (!whole) co_return false;
  co_return client.keep_alive;
}

HttpResponse HttpConnection::take_message(const HttpRequest& request, const HttpFields& fields,
                                          std::string_view query) {
  if (!is_json(fields.content_type)) return refusal(415, "The Content-Type must be application/json");
  if (!query.starts_with(sse_client_parameter)) {
    return refusal(400, "The sessionId of the endpoint event is missing");
  }
  const auto client = sse_client(query, fields.head.principal);
  if (client == nullptr) return refusal(404, "There is no session of this id; its stream may have been closed");
  return HttpResponse::from(client->receive(request.body().text(), owner_.server_));
}

std::shared_ptr<SseClient> HttpConnection::sse_client(std::string_view query, const Principal& principal) const {
  if (!query.starts_with(sse_client_parameter)) return nullptr;
  return owner_.sse_clients_.find(std::string(query.substr(sse_client_parameter.size())), principal);
}

HttpConnection::awaitable<bool> HttpConnection::respond(HttpClient client, HttpResponse response) {
  body_share_ = {};
  // The host may have begun to shut down since the request was read.
  client.keep_alive = client.keep_alive && !closing_;
  client.now = std::time(nullptr);
  const bool apart = response.body.size() > max_copied_body;
  const auto text = apart ? head_text(client, response) : to_text(client, response);
  bool written = co_await write(text);
  if (written && apart && !client.head_only) written = co_await write(response.body);
  end_holding();
  if (!written) co_return false;
  lingers_ = !client.keep_alive;
  co_return client.keep_alive;
}

HttpConnection::awaitable<void> HttpConnection::work_on(std::size_t bytes, const std::function<void()>& work) {
  const auto lane = socket_.get_executor();
  if (bytes <= CallRunner::max_quick_bytes) {
    const bool kept_lane = owner_.threads_.run_here(work);
    if (!kept_lane) co_await asio::post(lane, asio::use_awaitable);
    co_return;
  }
  bool done = false;
  owner_.threads_.run_long(bytes, [self = shared_from_this(), lane, &work, &done] {
    work();
    asio::post(lane, [self, &done] {
      done = true;
      self->signal_.cancel();
    });
  });
  while (!done)
    co_await signal_.async_wait(as_value);
}

HttpConnection::awaitable<bool> HttpConnection::write(std::string_view text) {
  // Each step has its time, so that a long answer to a slow reader may take long, and one to nobody may not.
  while (!text.empty() && !cut_off_) {
    wait_for(Waiting::for_bytes, limits_.write_time);
    const auto buffer = asio::buffer(text.substr(0, max_write));
    const auto [error, count] = co_await socket_.async_write_some(buffer, as_value);
    if (error) co_return false;
    text.remove_prefix(count);
  }
  co_return text.empty();
}

HttpConnection::awaitable<Outbox::Content> HttpConnection::next(Outbox& outbox,
                                                                std::optional<Clock::time_point> until) {
  auto patience = limits_.heartbeat;
  if (until) patience = std::min(patience, std::chrono::ceil<std::chrono::milliseconds>(*until - owner_.now()));
  watched_ = watching_ != Watching::off;
  wait_for(Waiting::for_answer, watched_ ? patience : std::min(unwatched_time, patience));
  rest_of_patience_ = patience;
  for (;;) {
    // What is taken must be written or kept, and there is no one to write to.
    if (disconnected_) co_return Outbox::Content{};
    auto content = outbox.take();
    if (!content.empty() || std::exchange(timed_out_, false)) co_return content;
    co_await signal_.async_wait(as_value);
  }
}

void HttpConnection::outbox_filled() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->signal_.cancel(); });
}

void HttpConnection::outbox_overflowed() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    const auto overflow = self->streamed_ != nullptr ? self->streamed_->overflow() : Outbox::Overflow::none;
    if (overflow != Outbox::Overflow::none) self->cut_off_stream(overflow);
  });
}

void HttpConnection::watch_for_disconnect() {
  const auto room = buffer_.max_size() - buffer_.size();
  if (watching_ != Watching::off || room == 0) return;
  watching_ = Watching::on;
  // What comes meanwhile is the next request, and is kept for it.
  const auto space = buffer_.prepare(std::min(room, read_size));
  socket_.async_read_some(space, [self = shared_from_this()](beast::error_code error, std::size_t count) {
    const bool stopping = std::exchange(self->watching_, Watching::off) == Watching::stopping;
    self->buffer_.commit(count);
    if (!error && !stopping) return self->watch_for_disconnect();
    self->disconnected_ = error && error != asio::error::operation_aborted;
    self->signal_.cancel();
  });
}

HttpConnection::awaitable<void> HttpConnection::stop_watching() {
  watching_ = Watching::stopping;
  beast::error_code ignored;
  socket_.cancel(ignored);
  while (watching_ != Watching::off)
    co_await signal_.async_wait(as_value);
}

}  // namespace mcph
