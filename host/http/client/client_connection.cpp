#include "http/client/client_connection.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/error.hpp>

#include "base/file_descriptor.hpp"
#include "http/client/answer_parser.hpp"
#include "http/tls/tls_stream.hpp"
#include "runtime/as_value.hpp"

namespace mcph {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

// Before the server closes it by itself.
constexpr std::chrono::seconds margin{1};

// An answer may say nothing for hours: that its server's machine has gone shows by what the system asks it, within two
// minutes.
void watch_for_dead_peer(int socket) {
  const auto set = [socket](int level, int option, int value) {
    static_cast<void>(::setsockopt(socket, level, option, &value, sizeof value));
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(IPPROTO_TCP, TCP_KEEPCNT, 4);
}

// It has been checked to be one.
std::uint16_t port_of(const HttpUrl& url) {
  std::uint16_t port = 0;
  std::from_chars(url.port.data(), url.port.data() + url.port.size(), port);
  return port;
}

}  // namespace

ClientConnection::ClientConnection(asio::io_context& context, std::shared_ptr<ConnectionPool> pool)
    : context_(context),
      pool_(std::move(pool)),
      strand_(context.get_executor()),
      socket_(strand_),
      signal_(strand_, asio::steady_timer::time_point::max()),
      idle_time_(pool_->idle_time()) {}
ClientConnection::~ClientConnection() = default;

void ClientConnection::open_for(const std::shared_ptr<SentRequest>& request) {
  // Where the event loop ends before the answer has come, the coroutine goes and nobody is told. Then who listens to
  // this request may be the last who owns the pool, and with it this connection. Moved, so that it goes with the
  // coroutine and not here.
  std::shared_ptr<void> owner(nullptr,
                              [self = shared_from_this()](std::nullptr_t /*nothing*/) { self->request_ = nullptr; });
  spawn(strand_, run(request), std::move(owner), [self = shared_from_this()](const std::exception_ptr& failed) {
    if (failed) self->end_with(fail_for_now("there is no memory to ask it"));
    self->shut();
    self->pool_->has_closed(self);
  });
}

void ClientConnection::take(const std::shared_ptr<SentRequest>& request) {
  asio::dispatch(strand_, [self = shared_from_this(), request] {
    // Without that having been read yet.
    if (!self->is_closed_ && self->stream_->is_at_end()) self->shut();
    if (self->is_closed_) return self->pool_->send(request);
    // Once it is here, `abandon` finds it.
    if (request->is_cancelled()) return self->pool_->is_idle(self);
    self->request_ = request;
    self->write(request);
  });
}

void ClientConnection::time_is_over() {
  asio::dispatch(strand_, [self = shared_from_this()] {
    if (Clock::now() < self->due_.load()) return;
    static constexpr const char* what[] = {"no connection came about", "it did not begin to answer",
                                           "its answer broke off: nothing came", ""};
    if (self->request_)
      self->end_with(self->request_->lateness(what[static_cast<int>(self->waiting_)], self->patience()));
    self->shut();
  });
}

void ClientConnection::close() {
  // Never at once, because whoever ends the pool may hold what is told.
  asio::post(strand_, [self = shared_from_this()] {
    self->end_with(fail_for_now("nothing more is asked here"));
    self->shut();
  });
}

void ClientConnection::abandon(const std::shared_ptr<SentRequest>& request) {
  // Never at once, because it may be telling the request something now.
  asio::post(strand_, [self = shared_from_this(), request] {
    if (self->request_ != request) return;
    self->request_ = nullptr;
    self->shut();
  });
}

void ClientConnection::resume(const std::shared_ptr<SentRequest>& request) {
  asio::post(strand_, [self = shared_from_this(), request] {
    if (self->request_ != request || !self->is_paused_) return;
    self->is_paused_ = false;
    self->wait_for(self->waiting_);
    self->signal_.cancel();
  });
}

Coroutine<> ClientConnection::run(std::shared_ptr<SentRequest> request) {
  if (is_closed_) co_return request->tell_end(fail_for_now("nothing more is asked here"));
  request_ = std::move(request);
  wait_for(Waiting::for_connection);
  // From here on `abandon` finds it.
  if (request_->is_cancelled()) co_return;
  const auto opened = co_await open();
  if (is_closed_) co_return;
  if (opened.has_error()) co_return end_with(opened);
  write(request_);
  co_await read();
}

Coroutine<Result<>> ClientConnection::open() {
  // The event loop may end before the name is found.
  pool_->find([weak = weak_from_this()](const NameLookup::Addresses& addresses) {
    const auto self = weak.lock();
    if (!self) return;
    asio::post(self->strand_, [self, addresses] {
      self->addresses_ = addresses;
      self->signal_.cancel();
    });
  });
  while (!addresses_ && !is_closed_)
    co_await signal_.async_wait(as_value);
  if (is_closed_) co_return Result<>();
  if (addresses_->has_error()) co_return addresses_->error();
  const auto unreached = co_await connect(*addresses_);
  if (unreached) co_return fail_for_now(unreached.message());
  if (is_closed_) co_return Result<>();
  if (!pool_->origin().tls) {
    stream_ = PlainStream::make(std::move(socket_), HttpPeer());
    co_return Result<>();
  }
  auto& authorities = pool_->authorities();
  const auto context = authorities.context();
  if (context.has_error()) co_return context.error();
  stream_ = std::make_unique<TlsStream>(std::move(socket_), **context, pool_->origin().host);
  auto opened = co_await stream_->open();
  if (opened.has_value()) co_return opened;
  authorities.doubt();
  co_return fail_for_now("TLS: " + opened.error().message);
}

// To the first address that somebody answers at. One that is silent leaves the others their part of the time that there
// is.
Coroutine<ClientConnection::Error> ClientConnection::connect(const NameLookup::Addresses& addresses) {
  Error error = asio::error::host_not_found;
  auto left = addresses->size();
  for (const auto& address : *addresses) {
    const bool is_last = --left == 0;
    const tcp::endpoint server(address, port_of(pool_->origin()));
    const HttpSocket::endpoint_type endpoint(server);
    socket_.close(error);
    socket_.open(endpoint.protocol(), error);
    if (error) continue;
    close_on_exec(socket_.native_handle());
    const auto is_connecting = std::make_shared<bool>(true);
    asio::steady_timer turn(strand_);
    const auto due = due_.load();
    if (!is_last && due != Clock::time_point::max()) {
      turn.expires_after((due - Clock::now()) / static_cast<Clock::rep>(left + 1));
      turn.async_wait([weak = weak_from_this(), is_connecting](Error ended) {
        const auto self = weak.lock();
        if (ended || !self || !*is_connecting) return;
        Error ignored;
        self->socket_.cancel(ignored);
      });
    }
    std::tie(error) = co_await socket_.async_connect(endpoint, as_value);
    *is_connecting = false;
    if (!error || is_closed_) break;
  }
  Error ignored;
  if (!error) socket_.set_option(tcp::no_delay(true), ignored);
  if (!error) watch_for_dead_peer(socket_.native_handle());
  co_return error;
}

Coroutine<> ClientConnection::read() {
  while (!is_closed_) {
    const auto space = asio::buffer(buffer_) + filled_;
    const auto [error, count] = co_await stream_->read_some(space);
    if (error) co_return break_off(error);
    if (!take_bytes(count)) co_return;
    while (is_paused_ && !is_closed_)
      co_await signal_.async_wait(as_value);
  }
}

void ClientConnection::write(const std::shared_ptr<SentRequest>& sent) {
  const auto& request = sent->request();
  has_answer_ = is_unsent_ = is_writing_ = false;
  parser_ = std::make_unique<AnswerParser>(*sent, static_cast<std::uint32_t>(buffer_bytes - 1));
  head_due_ = sent->due(request.times.head);
  wait_for(Waiting::for_head);
  written_.clear();
  written_.append(request.method).append(" ").append(request.url.target).append(" HTTP/1.1\r\n");
  written_.append(pool_->common_fields()).append(request.fields);
  if (request.closes) written_ += "Connection: close\r\n";
  if (!request.body.empty() || request.method == "POST")
    written_.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  written_.append("\r\n").append(request.body);
  const auto [error, count] = stream_->write_now(asio::buffer(written_));
  is_unsent_ = error && error != asio::error::would_block;
  if (is_unsent_ || count == written_.size()) return;  // that it has failed, reading tells, too
  is_writing_ = true;
  spawn(strand_, write_rest(count), shared_from_this(), [self = shared_from_this()](const std::exception_ptr& failed) {
    if (failed) self->end_with(fail_for_now("there is no memory to ask it"));
    if (failed) self->shut();
  });
}

// Where the server does not want the rest, it says why, or ends: either is read.
Coroutine<> ClientConnection::write_rest(std::size_t written) {
  while (written < written_.size() && !is_closed_) {
    const auto rest = asio::buffer(written_) + written;
    const auto [error, count] = co_await stream_->write_some(rest);
    if (error) co_return;
    written += count;
  }
  is_writing_ = false;
}

bool ClientConnection::take_bytes(std::size_t count) {
  filled_ += count;
  std::string_view rest(buffer_.data(), filled_);
  while (!rest.empty()) {
    if (!request_) return false;  // nobody has asked
    has_answer_ = true;
    Error error;
    const auto used = parser_->put(asio::buffer(rest), error);
    rest.remove_prefix(used);
    if (error == http::error::need_more) break;
    if (error) {
      end_with(fail(error.message()));
      return false;
    }
    if (!parser_->is_done()) {
      if (used == 0) break;
    } else if (parser_->is_interim()) {
      parser_ = std::make_unique<AnswerParser>(*request_, static_cast<std::uint32_t>(buffer_bytes - 1));
    } else if (!finish(rest.empty())) {
      return false;
    }
  }
  std::copy(rest.begin(), rest.end(), buffer_.begin());
  filled_ = rest.size();
  if (!request_) return !is_closed_;
  is_paused_ = parser_->takes_pause();
  // There is no room to read on.
  if (filled_ == buffer_.size() && !is_paused_) {
    end_with(fail("a line of its answer is too long"));
    return false;
  }
  wait_for(parser_->is_header_done() ? Waiting::for_body : Waiting::for_head);
  return true;
}

bool ClientConnection::finish(bool is_clean) {
  const auto served = std::move(request_);
  const bool stays = is_clean && parser_->keep_alive() && !is_writing_ && !served->request().closes;
  is_used_ = true;
  is_paused_ = false;
  if (const auto said = parser_->keep_alive_time(); said.count() > 0)
    idle_time_ = std::min<std::chrono::milliseconds>(pool_->idle_time(), said > margin ? said - margin : said / 2);
  if (stays) {
    filled_ = 0;
    wait_for(Waiting::for_request);
    // Before it is told, so that what it leads to goes by this connection, too.
    pool_->is_idle(shared_from_this());
  } else {
    shut();
  }
  served->tell_end(Result<>());
  return stays;
}

void ClientConnection::break_off(const Error& error) {
  if (!request_) return shut();
  const auto& request = request_->request();
  Error ended;
  if (error == asio::error::eof && parser_->is_header_done()) {
    parser_->put_eof(ended);
    if (!ended && parser_->is_done()) {
      finish(false);
      return;
    }
  }
  shut();
  if (is_used_ && !has_answer_ && (request.is_idempotent || is_unsent_) && request_->may_be_sent_again())
    return pool_->send(std::exchange(request_, nullptr));
  const bool at_end = error == asio::error::eof || error == asio::error::connection_reset;
  const char* const words = has_answer_ ? "it closed the connection in the middle of its answer"
                                        : "it closed the connection before it answered";
  end_with(fail_for_now(at_end ? words : error.message()));
}

void ClientConnection::end_with(const Result<>& why) {
  if (const auto ended = std::exchange(request_, nullptr)) ended->tell_end(why);
}

std::chrono::milliseconds ClientConnection::patience() const {
  if (!request_) return idle_time_;
  const auto& times = request_->request().times;
  if (waiting_ == Waiting::for_connection) return times.connect;
  return waiting_ == Waiting::for_head ? times.head : times.silence;
}

void ClientConnection::wait_for(Waiting what) {
  waiting_ = what;
  auto due = request_ ? request_->due(patience()) : Clock::now() + idle_time_;
  if (what == Waiting::for_head) due = head_due_;
  // While it is not read, nothing can come.
  due_.store(is_paused_ ? Clock::time_point::max() : due);
  pool_->look_at(due_.load());
}

void ClientConnection::shut() {
  is_closed_ = true;
  due_.store(Clock::time_point::max());
  signal_.cancel();
  Error ignored;
  if (stream_)
    stream_->close();
  else
    socket_.close(ignored);
}

}  // namespace mcph
