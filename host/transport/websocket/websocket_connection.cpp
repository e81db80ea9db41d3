#include "transport/websocket/websocket_connection.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "protocol/error_reply.hpp"
#include "protocol/limit_error.hpp"
#include "runtime/as_value.hpp"
#include "transport/http/connection_reader.hpp"
#include "transport/incoming_text.hpp"
#include "transport/websocket/websocket_bytes.hpp"
#include "transport/websocket/websocket_upgrade.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;

using UpgradeRequest = http::request<http::empty_body>;

// Read at once, of a message and of its beginning: a client that says nothing has memory for that.
constexpr std::size_t max_piece = std::size_t{64} << 10;
constexpr std::size_t first_piece = 256;
// A message that is longer than the limit is read on for its id, but not when it is as many times as long.
constexpr std::size_t max_excess = 8;
// Signs of life that a client may owe before it is taken for gone.
constexpr int max_missed = 2;
// For the answer to a close frame.
constexpr std::chrono::milliseconds close_time{2000};
// For large messages that a client is slow to send, where others need the memory.
constexpr std::chrono::milliseconds unfinished_message_time{2000};

// What Beast looks at of the request.
UpgradeRequest upgrade_request(const HttpRequest& request) {
  UpgradeRequest upgrade(http::verb::get, "/", 11);
  upgrade.set(http::field::host, "");
  upgrade.set(http::field::connection, "upgrade");
  upgrade.set(http::field::upgrade, "websocket");
  upgrade.set(http::field::sec_websocket_version, "13");
  const auto keys = lines_of(request.all_fields, "Sec-WebSocket-Key");
  upgrade.set(http::field::sec_websocket_key, beast::string_view(keys.front().data(), keys.front().size()));
  return upgrade;
}

class WebSocketConnection final : public UpgradedProtocol {
 public:
  WebSocketConnection(HttpConnection& connection, const HttpRequest& request, WebSocketServing serving)
      : connection_(connection),
        serving_(std::move(serving)),
        principal_(serving_.client->principal()),
        request_(upgrade_request(request)),
        times_(connection),
        socket_(connection, times_),
        text_(connection.limits().body_bytes) {}

  Coroutine<> run() override;
  void time_is_up(HttpConnection::Clock::time_point now) override;
  void expel(const IsGood& is_good) override {
    if (!is_good(serving_.client->principal())) connection_.abort();
  }

 private:
  using Time = HttpConnection::Clock::time_point;

  Coroutine<bool> accept();
  Coroutine<> read_messages();
  Coroutine<> wait_until_it_may_read();
  // False: nothing more is read.
  Coroutine<bool> read_piece();
  Coroutine<> take_message();
  void receive();
  void refuse_long();
  Reply refuse_for_memory(const Envelope& envelope);
  bool may_read() const { return outbox().has_room(unwritten_bytes_); }

  Coroutine<> write_messages();
  Coroutine<bool> write(Outbox::Content content);
  // What waits for the client holds memory that others may need. Each share has its time from when it is there, however
  // often this is called.
  void note_holding();

  Coroutine<> close(websocket::close_code code, std::string_view reason);
  void begin_close(websocket::close_code code, std::string_view reason);
  Coroutine<> ping();
  void look_for_life(HttpConnection::Clock::time_point now);
  // Runs beside what reads; it keeps the connection. One that fails ends the connection, because what it was to say is
  // missing from then on.
  void begin(Coroutine<> coroutine) {
    spawn(connection_.executor(), std::move(coroutine), connection_.shared_from_this(),
          [this](const std::exception_ptr& failed) {
            --running_;
            if (failed) {
              over_ = true;
              connection_.abort();
            }
            connection_.wake_surely();
          });
    ++running_;  // nothing runs where spawn has thrown
  }

  Outbox& outbox() const { return serving_.client->stream().outbox(); }

  HttpConnection& connection_;
  const WebSocketServing serving_;
  Principal principal_;                    // as of the last message
  std::optional<UpgradeRequest> request_;  // until it has been answered
  WebSocketTimes times_;
  // Without permessage-deflate, which takes memory for each client, and lets a short message become a long one.
  websocket::stream<WebSocketBytes, false> socket_;
  beast::flat_buffer piece_;
  IncomingText text_;
  MemoryBudget::Share text_share_;
  bool has_begun_ = false;         // a message has, and is not there yet
  bool without_memory_ = false;    // for the message that comes
  MemoryBudget::Share out_share_;  // of what is being written
  Time text_yields_at_ = Time::max();
  Time out_yields_at_ = Time::max();
  std::size_t unwritten_bytes_ = 0;
  unsigned running_ = 0;  // beside what reads
  bool over_ = false;     // nothing more is read, or nothing more written
  bool closing_ = false;
  bool pinging_ = false;
};

Coroutine<> WebSocketConnection::run() {
  std::shared_ptr<ConnectionReader> reader;
  try {
    reader = std::make_shared<ConnectionReader>(connection_.shared_from_this());
    reader->set_streamed(&outbox());
    outbox().read_by(reader);
    const bool accepted = co_await accept();
    if (accepted) {
      begin(write_messages());
      co_await read_messages();
    }
  } catch (const std::bad_alloc&) {
    // It ends as if its client had gone.
  }
  over_ = true;
  if (!closing_) connection_.abort();
  connection_.wake();
  const std::function<void()> end = [this] { serving_.close(); };
  co_await connection_.work_on(0, end);  // it may wait for a message of the client
  while (running_ > 0)
    co_await connection_.wake_up();
  if (reader != nullptr) reader->set_streamed(nullptr);
}

Coroutine<bool> WebSocketConnection::accept() {
  socket_.read_message_max(max_excess * connection_.limits().body_bytes);
  socket_.auto_fragment(false);
  socket_.text(true);
  socket_.set_option(websocket::stream_base::decorator([this](websocket::response_type& response) {
    response.set(http::field::server, "mcp-plugin-host");
    response.set(http::field::sec_websocket_protocol,
                 beast::string_view(mcp_subprotocol.data(), mcp_subprotocol.size()));
    for (const auto& [name, value] : connection_.client().fields)
      response.set(name, value);
  }));
  const auto [error] = co_await socket_.async_accept(*request_, as_value);
  request_.reset();
  if (!error) times_.set(WebSocketTimes::What::ping, connection_.limits().heartbeat);
  co_return !error;
}

Coroutine<> WebSocketConnection::read_messages() {
  bool goes_on = true;
  while (goes_on) {
    if (!may_read()) co_await wait_until_it_may_read();
    goes_on = co_await read_piece();
  }
}

Coroutine<> WebSocketConnection::wait_until_it_may_read() {
  // Meanwhile it is not the client that keeps the message waiting.
  times_.clear(WebSocketTimes::What::message);
  while (!may_read() && !over_)
    co_await connection_.wake_up();
  if (has_begun_ && !over_) times_.set(WebSocketTimes::What::message, connection_.limits().body_time);
}

Coroutine<bool> WebSocketConnection::read_piece() {
  const auto most = has_begun_ ? max_piece : first_piece;
  const auto [error, count] = co_await socket_.async_read_some(piece_, most, as_value);
  if (error) {
    // What the client has closed, and what Beast has refused, it has answered.
    closing_ = closing_ || error.category() == make_error_code(websocket::error::closed).category();
    co_return false;
  }
  if (socket_.got_binary()) {
    co_await close(websocket::close_code::unknown_data, "messages must be text");
    co_return false;
  }
  if (!std::exchange(has_begun_, true)) times_.set(WebSocketTimes::What::message, connection_.limits().body_time);
  const auto bytes = piece_.data();
  text_.add({static_cast<const char*>(bytes.data()), bytes.size()});
  piece_.consume(bytes.size());
  if (!text_.is_given_up() && !text_share_.grow(connection_.budget(), text_.memory())) {
    without_memory_ = true;
    text_.give_up();
    text_share_ = {};
  }
  note_holding();
  if (!socket_.is_message_done()) co_return true;
  co_await take_message();
  co_return !closing_;
}

Coroutine<> WebSocketConnection::take_message() {
  times_.clear(WebSocketTimes::What::message);
  // The client has done its part.
  has_begun_ = false;
  note_holding();
  const auto bytes = text_.is_given_up() ? 0 : text_.text().size();
  const std::function<void()> take = [this] { text_.is_given_up() ? refuse_long() : receive(); };
  co_await connection_.work_on(bytes, take);
  // Of one that says nothing for long, little is kept.
  if (piece_.capacity() > first_piece) piece_ = beast::flat_buffer();
  text_.clear();
  text_share_ = {};
  without_memory_ = false;
}

void WebSocketConnection::receive() {
  principal_ = serving_.renew(principal_);
  const auto limits = serving_.limits(principal_);
  const RequestContext context{.principal = principal_, .limits = limits ? &*limits : nullptr, .counted = false};
  const auto exchange = std::make_shared<StreamExchange>(serving_.client->shared_stream());
  exchange->comes_from({serving_.source, text_.text().size()});
  if (!text_share_.is_empty())
    exchange->hold_memory(std::make_shared<const MemoryBudget::Share>(std::move(text_share_)));
  serving_.client->receive(text_.text(), context, serving_.server, exchange);
}

void WebSocketConnection::refuse_long() {
  const LongMessage message{text_.envelope(), connection_.limits().body_bytes, "--max-body-bytes"};
  auto reply = without_memory_ ? refuse_for_memory(message.envelope) : serving_.client->refuse(message);
  if (!may_be_answered(message.envelope)) return;
  // It has been read, and counts as a request does.
  const auto limits = serving_.limits(principal_);
  const auto refusal = limits ? limits->admit_further().refusal : std::nullopt;
  if (refusal) reply = error_reply(message.envelope.id, limit_error(*refusal));
  outbox().put(std::move(reply.body));
}

Reply WebSocketConnection::refuse_for_memory(const Envelope& envelope) {
  if (envelope.kind == Message::Kind::response)
    serving_.client->refuse_answer(envelope.id, "is refused: " + connection_.no_memory_for("it").message);
  return error_reply(envelope.id, {error_code::internal_error, connection_.no_memory_for("this request").message});
}

Coroutine<> WebSocketConnection::write_messages() {
  bool goes_on = true;
  while (goes_on) {
    auto content = outbox().take();
    if (content.empty()) {
      if (over_) break;
      co_await connection_.wake_up();
      continue;
    }
    const bool ends = content.reply != nullptr;
    const auto overflow = content.overflow;
    const bool written = co_await write(std::move(content));
    if (overflow != Outbox::Overflow::none) cut_off(connection_, overflow);
    goes_on = written && !ends && overflow == Outbox::Overflow::none;
    if (!written || !ends) continue;
    if (serving_.server.is_closing()) {
      co_await close(websocket::close_code::going_away, "the server is stopping");
    } else {
      co_await close(websocket::close_code::policy_error, "the credential is good no longer");
    }
  }
  over_ = true;
  connection_.wake();
}

Coroutine<bool> WebSocketConnection::write(Outbox::Content content) {
  out_share_ = std::move(content.share);
  unwritten_bytes_ = content.bytes();
  note_holding();
  bool written = true;
  for (auto& message : content.messages) {
    if (!written || closing_) break;
    const auto text = std::exchange(message, {});
    const auto buffer = asio::buffer(text);
    const auto [error, count] = co_await socket_.async_write(buffer, as_value);
    written = !error;
    unwritten_bytes_ -= text.size();
  }
  unwritten_bytes_ = 0;
  out_share_ = {};
  note_holding();
  // What reads may wait for that.
  connection_.wake();
  co_return written && !closing_;
}

void WebSocketConnection::note_holding() {
  const auto note = [now = connection_.now()](bool waits, Time& yields_at, std::chrono::milliseconds patience) {
    yields_at = waits ? std::min(yields_at, now + patience) : Time::max();
  };
  note(has_begun_ && !text_share_.is_empty(), text_yields_at_, unfinished_message_time);
  note(!out_share_.is_empty(), out_yields_at_, connection_.limits().write_time);
  connection_.hold_until(std::min(text_yields_at_, out_yields_at_));
}

Coroutine<> WebSocketConnection::close(websocket::close_code code, std::string_view reason) {
  if (std::exchange(closing_, true)) co_return;
  times_.set(WebSocketTimes::What::close, close_time);
  const websocket::close_reason why(code, beast::string_view(reason.data(), reason.size()));
  co_await socket_.async_close(why, as_value);
  times_.clear(WebSocketTimes::What::close);
  connection_.wake();
}

void WebSocketConnection::begin_close(websocket::close_code code, std::string_view reason) {
  begin(close(code, reason));
}

Coroutine<> WebSocketConnection::ping() {
  pinging_ = true;
  co_await socket_.async_ping({}, as_value);
  pinging_ = false;
}

void WebSocketConnection::time_is_up(HttpConnection::Clock::time_point now) {
  using What = WebSocketTimes::What;
  if (times_.is_over(What::write, now) || times_.is_over(What::close, now)) {
    times_.clear(What::write);
    times_.clear(What::close);
    return connection_.abort();
  }
  if (times_.is_over(What::message, now)) {
    times_.clear(What::message);
    begin_close(websocket::close_code::policy_error, "the message took too long to arrive");
  }
  if (times_.is_over(What::ping, now)) look_for_life(now);
}

void WebSocketConnection::look_for_life(HttpConnection::Clock::time_point now) {
  const auto heartbeat = connection_.limits().heartbeat;
  const auto quiet = now - times_.heard();
  if (quiet > (max_missed + 1) * heartbeat) {
    times_.clear(WebSocketTimes::What::ping);
    return connection_.abort();
  }
  times_.set(WebSocketTimes::What::ping, heartbeat);
  if (quiet < heartbeat / 2 || pinging_ || closing_) return;
  begin(ping());
}

}  // namespace

std::unique_ptr<UpgradedProtocol> make_websocket(HttpConnection& connection, const HttpRequest& request,
                                                 WebSocketServing serving) {
  return std::make_unique<WebSocketConnection>(connection, request, std::move(serving));
}

}  // namespace mcph
